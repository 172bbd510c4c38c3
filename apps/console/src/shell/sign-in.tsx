import { useState } from 'react';
import type { FormEvent } from 'react';
import { ApiError } from '../api/client';
import { signIn } from '../api/session';
import type { Session } from '../api/answers';
import mark from '../styles/mark.svg';
import { Button, Note, Paste } from '../ui/parts';
import { Issuers } from './issuers';

/** Exchanges an API key for a session. The key is sent once and kept nowhere. */
export function SignIn({ onSession }: { readonly onSession: (session: Session) => void }) {
  const [key, setKey] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onSession(await signIn(key.trim()));
    } catch (thrown) {
      setError(reasonOf(thrown));
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <span className="brand">
          <img src={mark} alt="" />
          Millrace
        </span>
        <div>
          <h1>Sign in</h1>
          <p>The key is exchanged for a session and not kept in this browser.</p>
        </div>
        <Issuers />
        <div className="field">
          <label htmlFor="key">API key</label>
          <input
            id="key"
            className="input mono"
            type="password"
            autoComplete="off"
            autoFocus
            required
            placeholder="sk-…"
            value={key}
            onChange={(event) => setKey(event.target.value)}
          />
        </div>
        {error !== undefined && <Note tone="bad">{error}</Note>}
        <Button kind="primary" type="submit" disabled={busy || key.trim() === ''}>
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
        <div className="stack">
          <p>The key of a server that was started with npm start:</p>
          <Paste text="npm start --silent -- --show-key" />
        </div>
      </form>
    </main>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) return String(error);
  if (error.status === 401 || error.status === 403) return 'This key is unknown, inactive or expired.';
  return error.message;
}
