import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { SignedIn } from './data/session.js';
import { SignInPage } from './pages/sign-in.page.js';
import './styles/base.css';
import './styles/layout.css';
import './styles/runs.css';
import './styles/run.css';
import './styles/controls.css';
import './styles/system.css';

const root = document.getElementById('root');
if (root === null) throw new Error('bug: index.html has no root');
createRoot(root).render(
  <StrictMode>
    <SignedIn ask={(signIn, expired) => <SignInPage onToken={signIn} expired={expired} />}>
      <App />
    </SignedIn>
  </StrictMode>,
);
