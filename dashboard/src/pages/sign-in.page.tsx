import { useState, type ReactNode } from 'react';
import { Api } from '../data/api.js';
import { Trouble } from '../parts/trouble.js';

export const SignInPage = ({
  onToken,
}: {
  readonly onToken: (token: string) => void;
}): ReactNode => {
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>(null);
  const signIn = async (): Promise<void> => {
    try {
      await new Api(token.trim()).get('/me');
      onToken(token.trim());
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <main className="sign-in">
      <h1>Holdfast</h1>
      <form
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
          value={token}
          onChange={(event) => {
            setToken(event.target.value);
          }}
        />
        <p className="hint">
          The local stack keeps the operator’s in <code>.holdfast/operator.token</code>.
        </p>
        <button type="submit" disabled={token.trim() === ''}>
          Sign in
        </button>
        <Trouble error={error} />
      </form>
    </main>
  );
};
