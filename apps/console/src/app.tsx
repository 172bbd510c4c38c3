import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Component, Suspense, lazy, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, Redirect, Route, Switch } from 'wouter';
import { ApiError, SIGNED_OUT } from './api/client';
import { SessionContext, readSession } from './api/session';
import type { Session } from './api/types';
import { RunsPage } from './runs/runs-page';
import { Shell } from './shell/shell';
import { SignIn } from './shell/sign-in';
import { Busy, Empty, ErrorNote } from './ui/parts';

const RunPage = lazy(() => import('./runs/run-page').then((module) => ({ default: module.RunPage })));

/** The console: the sign-in page without a session, else the pages. */
export function App() {
  const client = useQueryClient();
  const session = useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000, retry: 1 });
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => {
    const onSignedOut = () => {
      setSignedOut(true);
      client.clear();
    };
    window.addEventListener(SIGNED_OUT, onSignedOut);
    return () => window.removeEventListener(SIGNED_OUT, onSignedOut);
  }, [client]);
  const enter = (next: Session) => {
    client.clear();
    client.setQueryData(['session'], next);
    setSignedOut(false);
  };
  if (isSignedOut) return <SignIn onSession={enter} />;
  if (session.data !== undefined)
    return (
      <SessionContext value={session.data}>
        <Shell>
          <Pages />
        </Shell>
      </SessionContext>
    );
  if (session.isPending) return <Busy />;
  if (session.error instanceof ApiError && (session.error.status === 401 || session.error.status === 403))
    return <SignIn onSession={enter} />;
  return (
    <main className="page">
      <ErrorNote error={session.error} retry={() => void session.refetch()} />
    </main>
  );
}

function Pages() {
  return (
    <Failsafe>
      <Suspense fallback={<Busy />}>
        <Switch>
          <Route path="/">
            <Redirect to="/runs" replace />
          </Route>
          <Route path="/runs">
            <RunsPage />
          </Route>
          <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
          <Route>
            <div className="page">
              <Empty title="There is no such page">
                <Link href="/runs">Go to the runs</Link>
              </Empty>
            </div>
          </Route>
        </Switch>
      </Suspense>
    </Failsafe>
  );
}

/** A defect of one page leaves the navigation usable. */
class Failsafe extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div className="page">
        <ErrorNote error={this.state.error} retry={() => location.reload()} />
      </div>
    );
  }
}
