import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { SignedIn } from './data/session.js';
import { SignInPage } from './pages/sign-in.page.js';
import './styles.css';

const queries = new QueryClient({
  defaultOptions: { queries: { retry: 1, staleTime: 1_000, refetchInterval: 10_000 } },
});

const root = document.getElementById('root');
if (root === null) throw new Error('bug: index.html has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <SignedIn ask={(signIn) => <SignInPage onToken={signIn} />}>
        <App />
      </SignedIn>
    </QueryClientProvider>
  </StrictMode>,
);
