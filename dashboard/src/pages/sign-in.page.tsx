import { useState, type ReactNode } from 'react';
import { Api, TOKEN } from '../data/api.js';
import { PageTitle } from '../parts/page-title.js';
import { Trouble } from '../parts/trouble.js';

export const SignInPage = ({
  onToken,
  expired,
}: {
  readonly onToken: (token: string) => void;
  /** The one before is no longer valid. */
  readonly expired: boolean;
}): ReactNode => {
  const [given, setGiven] = useState('');
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const token = given.trim();
  const signIn = async (): Promise<void> => {
    setAsking(true);
    setError(null);
    try {
      if (!TOKEN.test(token)) throw new NoToken();
      await new Api(token).get('/me');
      onToken(token);
    } catch (problem) {
      setError(problem);
      setAsking(false);
    }
  };
  return (
    <main className="sign-in">
      <PageTitle tab="Sign in">Holdfast</PageTitle>
      {expired && (
        <p role="status" className="banner">
          Your token is no longer valid. Sign in again.
        </p>
      )}
      <form
        aria-label="Sign in"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
        }}
      >
        <label htmlFor="token">Token</label>
        <input
          id="token"
          type="password"
          autoComplete="off"
          value={given}
          onChange={(event) => setGiven(event.target.value)}
        />
        <p className="hint">
          The local stack keeps the operator’s in <code>.holdfast/operator.token</code>. It stays in
          this tab.
        </p>
        <button type="submit" disabled={token === '' || isAsking}>
          {isAsking ? 'Signing in…' : 'Sign in'}
        </button>
        <Trouble error={error} />
      </form>
    </main>
  );
};

class NoToken extends Error {
  override readonly name = 'NoToken';
  constructor() {
    super('This can not be a token: it has spaces or other characters that tokens do not have.');
  }
}
