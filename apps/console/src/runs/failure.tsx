import { Link } from 'wouter';
import type { Run } from '../api/answers';
import { useProject } from '../api/project';
import { Button, Note } from '../ui/parts';
import { hintFor } from './error-hints';

export interface FailureProps {
  readonly run: Run;
  readonly isOwn: boolean;
  readonly onVertex: (id: string) => void;
}

/** Why a run failed, at which vertex, and what to do. */
export function Failure({ run, isOwn, onVertex }: FailureProps) {
  const { error } = run;
  // Their list has no filter of codes.
  const isOfMember = useProject() !== undefined;
  if (error === null) return null;
  const hint = hintFor(error.code);
  const problems = error.problems ?? [];
  return (
    <Note
      tone="bad"
      title={
        <span className="row">
          {error.vertex ? `“${error.vertex.displayName}” failed` : 'The run failed'} <code>{error.code}</code>
        </span>
      }
    >
      {problems.length > 0 ? (
        <ul className="problems">
          {problems.map(({ vertexId, message }, index) => (
            <li key={index} className="note-text" dir="auto">
              {message}{' '}
              {vertexId !== null && (
                <Button size="small" kind="plain" onClick={() => onVertex(vertexId)}>
                  Show vertex
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p className="note-text failure-text" dir="auto">
          {withoutFrame(error.message)}
        </p>
      )}
      {hint !== undefined && <p className="muted">{hint}</p>}
      <div className="row">
        {error.vertex && (
          <Button size="small" onClick={() => onVertex(error.vertex?.id ?? '')}>
            Show vertex
          </Button>
        )}
        {!isOfMember && (
          <Link
            className="button small"
            href={`/runs?code=${encodeURIComponent(error.code)}&flow=${run.flow_id}${isOwn ? '' : '&all=1'}`}
          >
            Runs of this flow with the same code
          </Link>
        )}
      </div>
    </Note>
  );
}

/** The message without the frame that Langflow puts around it, since the title names the vertex. */
const withoutFrame = (message = ''): string =>
  message.replace(/^Error running graph: (Error building Component [^\n]*: *\n\n)?/, '').trim();
