import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { Api, isPassing, isUnauthenticated } from './api.js';
import { pauseMs } from './patience.js';

interface Session {
  readonly api: Api;
  readonly signOut: () => void;
  /** The server no longer takes the token. */
  readonly expire: () => void;
}
const SessionContext = createContext<Session | null>(null);

/** The token lives in this tab only: closing it signs out. */
const KEY = 'holdfast.token';

/** What is shown is looked at again after so long even when no change was announced. Milliseconds. */
export const LOOK_AGAIN_MS = 10_000;
/** What was read so short a time ago need not be read again for another part of the page. Milliseconds. */
const FRESH_MS = 1_000;
const ATTEMPTS_MAX = 3;

const newQueryClient = (onUnauthenticated: () => void): QueryClient => {
  const onError = (error: unknown): void => {
    if (isUnauthenticated(error)) onUnauthenticated();
  };
  const persistence = {
    retry: (failures: number, error: unknown) => isPassing(error) && failures < ATTEMPTS_MAX - 1,
    retryDelay: pauseMs,
    // A server on this machine answers whatever the browser believes of the network.
    networkMode: 'always',
  } as const;
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { ...persistence, staleTime: FRESH_MS, refetchInterval: LOOK_AGAIN_MS },
      mutations: persistence,
    },
  });
};

interface Token {
  readonly token: string | null;
  readonly expired: boolean;
}

/** Asks for a token when there is none; what is inside may use {@link useSession}, and shares nothing with an earlier session. */
export const SignedIn = ({
  children,
  ask,
}: {
  readonly children: ReactNode;
  readonly ask: (signIn: (token: string) => void, expired: boolean) => ReactNode;
}): ReactNode => {
  const [{ token, expired }, setToken] = useState<Token>(() => ({
    token: sessionStorage.getItem(KEY),
    expired: false,
  }));
  const leave = useCallback((expired: boolean): void => {
    sessionStorage.removeItem(KEY);
    setToken({ token: null, expired });
  }, []);
  const enter = (given: string): void => {
    sessionStorage.setItem(KEY, given);
    setToken({ token: given, expired: false });
  };
  if (token === null) return ask(enter, expired);
  return (
    <OneSession token={token} leave={leave} key={token}>
      {children}
    </OneSession>
  );
};

const OneSession = ({
  token,
  leave,
  children,
}: {
  readonly token: string;
  readonly leave: (expired: boolean) => void;
  readonly children: ReactNode;
}): ReactNode => {
  const [queries] = useState(() => newQueryClient(() => leave(true)));
  const session = useMemo<Session>(
    () => ({ api: new Api(token), signOut: () => leave(false), expire: () => leave(true) }),
    [token, leave],
  );
  useEffect(() => () => queries.clear(), [queries]);
  return (
    <SessionContext.Provider value={session}>
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </SessionContext.Provider>
  );
};

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('bug: no session around this component');
  return session;
};
