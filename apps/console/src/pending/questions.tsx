import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { ApiError, call } from '../api/client';
import { useTimeText } from '../api/clock';
import type { OpenRequest, ToolCallRequest } from '../api/pending';
import { useMay } from '../api/session';
import { shortId, timeLeft } from '../ui/format';
import { LongText } from '../ui/long-text';
import { Button, Card, ErrorNote, Facts, Note, Time } from '../ui/parts';
import { askedOf, fieldOf, labelOf, missedText, valuesOf, vertexOf } from './open-request';

export interface QuestionsProps {
  readonly of: readonly OpenRequest[];
  /** The title of a question. */
  readonly title: (request: OpenRequest) => string;
  /** Shows the vertex that asks. */
  readonly onVertex?: (id: string) => void;
}

interface Outcome {
  readonly runId: string;
  readonly text: string;
  readonly isTaken: boolean;
}

/** Questions of suspended runs, each with its decisions. */
export function Questions({ of, title, onVertex }: QuestionsProps) {
  const [outcome, setOutcome] = useState<Outcome>();
  const note = useRef<HTMLDivElement>(null);
  // The button that had the focus was removed.
  useEffect(() => note.current?.focus(), [outcome]);
  return (
    <>
      {outcome !== undefined && (
        <div ref={note} tabIndex={-1} role="status">
          <Note {...(outcome.isTaken ? {} : { tone: 'warn' as const })}>
            <p>
              {outcome.text} <Link href={`/runs/${outcome.runId}`}>Run {shortId(outcome.runId)}</Link>
            </p>
          </Note>
        </div>
      )}
      {of.map((request) => (
        <Question
          key={request.request_id}
          request={request}
          title={title(request)}
          onOutcome={setOutcome}
          onVertex={onVertex}
        />
      ))}
    </>
  );
}

interface QuestionProps {
  readonly request: OpenRequest;
  readonly title: string;
  readonly onOutcome: (outcome: Outcome) => void;
  readonly onVertex: ((id: string) => void) | undefined;
}

function Question({ request, title, onOutcome, onVertex }: QuestionProps) {
  const client = useQueryClient();
  const canAnswer = useMay('run');
  /** The decision whose field is open. */
  const [chosen, setChosen] = useState<string>();
  /** The one of several calls that is decided about. */
  const [place, setPlace] = useState<number>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { run_id: runId, request_id, kind, action_requests: calls = [] } = request;
  const end = async (text: string, isTaken: boolean) => {
    onOutcome({ runId, text, isTaken });
    await Promise.all(
      [['pending'], ['run', runId]].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  const decide = async (decision: string, text: string) => {
    setBusy(true);
    setError(undefined);
    try {
      const values = valuesOf(fieldOf(kind, decision), text);
      await call(`/api/v2/workflows/${runId}/resume`, {
        method: 'POST',
        body: {
          request_id,
          decision: { action_id: decision, values, ...(place !== undefined && { calls: [place] }) },
        },
      });
      await end(`Answered “${labelOf(request, decision)}”. The run goes on.`, true);
    } catch (thrown) {
      const reason = thrown instanceof ApiError ? missedText(thrown) : undefined;
      if (reason === undefined) setError(thrown);
      else await end(reason, false);
    } finally {
      setBusy(false);
    }
  };
  const vertex = vertexOf(request);
  return (
    <Card
      title={
        <span className="row" dir="auto">
          {title}
        </span>
      }
      actions={<span className="state warn">{kind === 'tool_approval' ? 'tool approval' : 'choice'}</span>}
    >
      <div className="stack question">
        {calls.length === 0 ? (
          <LongText text={request.prompt} label="Question" />
        ) : (
          calls.map(({ name, args }, index) => (
            <div key={index} className="value-entry">
              <span className="value-name">
                {calls.length > 1 && `${index + 1}. `}
                {name}
              </span>
              <LongText text={JSON.stringify(args, null, 2)} label={`Arguments of ${name}`} isCode />
            </div>
          ))
        )}
        <Facts
          of={[
            { name: 'Asked', value: <Time of={request.paused_at} /> },
            { name: 'Time left', value: <Left of={request} /> },
            { name: 'When it is over', value: endOf(request) },
            ...(onVertex === undefined
              ? [
                  {
                    name: 'Run',
                    value: (
                      <Link className="mono" href={`/runs/${runId}?vertex=${encodeURIComponent(vertex)}`}>
                        {shortId(runId)}
                      </Link>
                    ),
                  },
                ]
              : [
                  {
                    name: 'Vertex',
                    value: (
                      <Button size="small" className="mono" onClick={() => onVertex(vertex)}>
                        {vertex}
                      </Button>
                    ),
                  },
                ]),
          ]}
        />
        {request.may_answer && calls.length > 1 && (
          <CallChoice of={calls} place={place} onChoose={setPlace} />
        )}
        {!request.may_answer && <p className="muted">{askedOf(request)}</p>}
        {request.may_answer && !canAnswer && (
          <p className="muted">Your key does not answer questions: sign in with a key of scope run.</p>
        )}
        {request.may_answer && canAnswer && (
          <div className="row" role="group" aria-label={`Decisions: ${title}`}>
            {request.allowed_decisions.map((decision) => (
              <Button
                key={decision}
                disabled={busy}
                {...kindOf(kind, decision)}
                {...(fieldOf(kind, decision) === undefined
                  ? { onClick: () => void decide(decision, '') }
                  : {
                      'aria-expanded': chosen === decision,
                      onClick: () => setChosen(chosen === decision ? undefined : decision),
                    })}
              >
                {labelOf(request, decision)}
                {fieldOf(kind, decision) === undefined ? '' : '…'}
              </Button>
            ))}
          </div>
        )}
        {chosen !== undefined && (
          <Answer
            key={`${chosen} ${place ?? ''}`}
            request={request}
            place={place ?? 0}
            decision={chosen}
            busy={busy}
            onSend={(text) => void decide(chosen, text)}
            onClose={() => setChosen(undefined)}
          />
        )}
        {error !== undefined && <Refused error={error} />}
      </div>
    </Card>
  );
}

interface CallChoiceProps {
  readonly of: readonly ToolCallRequest[];
  readonly place: number | undefined;
  readonly onChoose: (place: number | undefined) => void;
}

/** Chooses whether a decision is for all of several calls, or for one of them. */
function CallChoice({ of, place, onChoose }: CallChoiceProps) {
  return (
    <label className="field">
      Decide about
      <select
        className="input"
        value={place ?? ''}
        onChange={({ target: { value } }) => onChoose(value === '' ? undefined : Number(value))}
      >
        <option value="">all {of.length} calls</option>
        {of.map(({ name }, index) => (
          <option key={index} value={index}>
            {index + 1}. {name}
          </option>
        ))}
      </select>
      <span className="hint">
        {place === undefined
          ? 'Changed arguments are for the first one; the others are then rejected.'
          : 'The others are asked about again.'}
      </span>
    </label>
  );
}

function Refused({ error }: { readonly error: unknown }) {
  if (error instanceof ApiError && error.status !== 422) return <ErrorNote error={error} />;
  const text = error instanceof Error ? error.message : String(error);
  return (
    <Note tone="bad" title="The answer was not sent">
      <p className="note-text">{text}</p>
    </Note>
  );
}

function kindOf(kind: OpenRequest['kind'], decision: string) {
  if (kind !== 'tool_approval') return {};
  if (decision === 'approve') return { kind: 'primary' as const };
  return decision === 'reject' ? { kind: 'danger' as const } : {};
}

function Left({ of: { due_at: due } }: { readonly of: OpenRequest }) {
  const text = useTimeText((now) => (due === null ? 'no end' : timeLeft(Date.parse(due) - now)));
  return <span title={due ?? undefined}>{text}</span>;
}

const endOf = (request: OpenRequest): string =>
  request.fallback_action ? labelOf(request, request.fallback_action) : 'The run ends as timed out';

interface AnswerProps {
  readonly request: OpenRequest;
  /** The call whose arguments are changed. */
  readonly place: number;
  readonly decision: string;
  readonly busy: boolean;
  readonly onSend: (text: string) => void;
  readonly onClose: () => void;
}

const FIELDS = {
  edit: { label: 'Arguments, as JSON', hint: 'The tool is called with them.', send: 'Call with these' },
  reject: {
    label: 'Reason, for the model',
    hint: 'The tool is not called. May be empty.',
    send: 'Reject',
  },
  respond: {
    label: 'Result, for the model',
    hint: 'The tool is not called; the model gets this text as its result.',
    send: 'Respond',
  },
} as const;

/** The field of a decision that takes arguments or a text. */
function Answer({ request, place, decision, busy, onSend, onClose }: AnswerProps) {
  const isEdit = decision === 'edit';
  const [text, setText] = useState(() =>
    isEdit ? JSON.stringify(request.action_requests?.[place]?.args ?? {}, null, 2) : '',
  );
  const field = FIELDS[decision as keyof typeof FIELDS];
  const id = `answer-${request.request_id}`;
  return (
    <div className="field">
      <label htmlFor={id}>{field.label}</label>
      <textarea
        id={id}
        className={isEdit ? 'input mono' : 'input'}
        rows={isEdit ? Math.min(Math.max(text.split('\n').length, 3), 14) : 3}
        value={text}
        dir={isEdit ? 'ltr' : 'auto'}
        autoFocus
        aria-describedby={`${id}-hint`}
        onChange={(event) => setText(event.target.value)}
      />
      <span className="hint" id={`${id}-hint`}>
        {field.hint}
      </span>
      <div className="row">
        <Button
          kind="primary"
          disabled={busy || (decision === 'respond' && text.trim() === '')}
          onClick={() => onSend(text)}
        >
          {field.send}
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}
