import { useQuery } from '@tanstack/react-query';
import { call } from '../api/client';
import type { Schemas } from '../api/answers';
import { Note } from '../ui/parts';

const RETURN = 'millrace:return';
const REASONS: Readonly<Record<string, string>> = {
  no_role: 'None of your groups has a role here. Ask an admin of this installation.',
  disabled: 'Your user is deactivated here. Ask an admin of this installation.',
  expired: 'The sign-in took too long, or was begun in another window. Try again.',
  unavailable: 'The issuer does not answer. Try again soon.',
  refused: 'The issuer did not sign you in.',
};

/** Links that sign in at the issuers of the installation; nothing where there is none. */
export function Issuers() {
  const { data } = useQuery({
    queryKey: ['issuers'],
    queryFn: () => call<Schemas['SignOnIssuers']>('/api/v1/sign-on'),
    staleTime: 60_000,
  });
  const reason = new URLSearchParams(location.search).get('sign-on');
  const paths = (data?.issuers ?? []).flatMap(({ name, console_path: path }) =>
    path === null ? [] : [{ name, path }],
  );
  return (
    <>
      {reason !== null && <Note tone="bad">{REASONS[reason] ?? REASONS['refused']}</Note>}
      {paths.map(({ name, path }) => (
        <a key={name} className="button primary" href={path} onClick={rememberPage}>
          Sign in with {name}
        </a>
      ))}
    </>
  );
}

function rememberPage() {
  if (location.pathname !== '/') sessionStorage.setItem(RETURN, location.pathname + location.search);
}

/** The page that was open before the sign-in at an issuer, else that of runs. */
export function firstPage(): string {
  const page = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  return page !== null && /^\/[\w-]/.test(page) ? page : '/runs';
}
