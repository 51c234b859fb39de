import { createContext, useContext, useMemo, useState, type ReactNode } from 'react';
import { Api } from './api.js';

interface Session {
  readonly api: Api;
  readonly signOut: () => void;
}
const SessionContext = createContext<Session | null>(null);

/** The token lives in this tab only: closing it signs out. */
const KEY = 'holdfast.token';

/** Asks for a token when there is none; what is inside may use {@link useSession}. */
export const SignedIn = ({
  children,
  ask,
}: {
  readonly children: ReactNode;
  readonly ask: (signIn: (token: string) => void) => ReactNode;
}): ReactNode => {
  const [token, setToken] = useState(() => sessionStorage.getItem(KEY));
  const session = useMemo<Session | null>(
    () =>
      token === null
        ? null
        : {
            api: new Api(token),
            signOut: () => {
              sessionStorage.removeItem(KEY);
              setToken(null);
            },
          },
    [token],
  );
  if (session === null)
    return ask((given) => {
      sessionStorage.setItem(KEY, given);
      setToken(given);
    });
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
};

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('bug: no session around this component');
  return session;
};
