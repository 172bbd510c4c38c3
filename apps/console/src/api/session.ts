import { createContext, useContext } from 'react';
import { call } from './client';
import type { Scope, Session } from './answers';

export const readSession = () => call<Session>('/api/v1/console/session');

export const signIn = (key: string) =>
  call<Session>('/api/v1/console/session', { method: 'POST', body: { api_key: key } });

export const signOut = () => call<undefined>('/api/v1/console/session', { method: 'DELETE' });

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the page; only pages inside the shell are rendered, so there is one. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('There is no session');
  return session;
}

/** Whether the session may do what needs `scope`. Admin rights need an admin and a key of scope `admin`. */
export function useMay(scope: Scope): boolean {
  const { scopes, user } = useSession();
  return scopes.includes(scope) && (scope !== 'admin' || user.is_superuser);
}
