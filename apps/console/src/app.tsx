import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Component, Suspense, lazy, useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { ApiError, SIGNED_OUT } from './api/client';
import { SessionContext, readSession } from './api/session';
import { projectId } from './api/project-path';
import type { Session } from './api/answers';
import { InProject } from './projects/in-project';
import { RunsPage } from './runs/runs-page';
import { firstPage } from './shell/issuers';
import { Shell } from './shell/shell';
import { SignIn } from './shell/sign-in';
import { Busy, ErrorNote } from './ui/parts';

const RunPage = lazy(() => import('./runs/run-page').then((module) => ({ default: module.RunPage })));
const ComparePage = lazy(() =>
  import('./compare/compare-page').then((module) => ({ default: module.ComparePage })),
);
const FlowsPage = lazy(() => import('./flows/flows-page').then((module) => ({ default: module.FlowsPage })));
const FlowPage = lazy(() => import('./flows/flow-page').then((module) => ({ default: module.FlowPage })));
const ConversationsPage = lazy(() => import('./chat/conversations-page'));
const ProjectPages = lazy(() => import('./projects/project-pages'));
const Operations = lazy(() => import('./operations/operations'));

/** The console: the sign-in page without a session, else the pages. */
export function App() {
  const client = useQueryClient();
  const known = useQuery({ queryKey: ['session'], queryFn: readSession, staleTime: 60_000 });
  const [entered, setEntered] = useState<Session>();
  const [isSignedOut, setSignedOut] = useState(false);
  useEffect(() => {
    const onSignedOut = () => {
      setSignedOut(true);
      setEntered(undefined);
      client.clear();
    };
    window.addEventListener(SIGNED_OUT, onSignedOut);
    return () => window.removeEventListener(SIGNED_OUT, onSignedOut);
  }, [client]);
  const enter = (next: Session) => {
    client.clear();
    setEntered(next);
    setSignedOut(false);
  };
  if (isSignedOut) return <SignIn onSession={enter} />;
  const session = entered ?? known.data;
  if (session !== undefined)
    return (
      <SessionContext value={session}>
        {projectId === undefined ? (
          <Shell>
            <Pages />
          </Shell>
        ) : (
          <InProject id={projectId}>
            <Shell>
              <Shown>
                <ProjectPages />
              </Shown>
            </Shell>
          </InProject>
        )}
      </SessionContext>
    );
  if (known.isPending) return <Busy />;
  if (known.error instanceof ApiError && (known.error.status === 401 || known.error.status === 403))
    return <SignIn onSession={enter} />;
  return (
    <main className="page">
      <ErrorNote error={known.error} retry={() => void known.refetch()} />
    </main>
  );
}

/** Reads the page once: React renders twice in development. */
function FirstPage() {
  const [page] = useState(firstPage);
  const isInProject = page.startsWith('/projects/');
  useEffect(() => {
    // The project of a document does not change.
    if (isInProject) location.replace(page);
  }, [isInProject, page]);
  return isInProject ? <Busy /> : <Redirect to={page} replace />;
}

function Shown({ children }: { readonly children: ReactNode }) {
  return (
    <Failsafe>
      <Suspense fallback={<Busy />}>{children}</Suspense>
    </Failsafe>
  );
}

function Pages() {
  return (
    <Shown>
      <Switch>
        <Route path="/">
          <FirstPage />
        </Route>
        <Route path="/runs">
          <RunsPage />
        </Route>
        <Route path="/runs/compare">
          <ComparePage />
        </Route>
        <Route path="/runs/:id">{({ id }) => <RunPage key={id} id={id} />}</Route>
        <Route path="/flows">
          <FlowsPage />
        </Route>
        <Route path="/flows/:id">{({ id }) => <FlowPage key={id} id={id} />}</Route>
        <Route path="/conversations">
          <ConversationsPage />
        </Route>
        <Route>
          <Operations />
        </Route>
      </Switch>
    </Shown>
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
        <h1>This page failed</h1>
        <ErrorNote error={this.state.error} retry={() => location.reload()} />
      </div>
    );
  }
}
