import { useMemo, useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { hasEnded, useRun } from '../api/queries';
import type { Flow, FlowDocument, FlowField, FlowNode } from '../api/answers';
import { useLiveRun } from '../runs/live-run';
import { LiveMessages, Outputs } from '../runs/run-tabs';
import { Play } from '../ui/icons';
import { Button, Card, Empty, ErrorNote, Note, State } from '../ui/parts';
import { FileField } from './file-field';

export interface RunFormProps {
  readonly flow: Flow;
  readonly document: FlowDocument;
}

/** Starts a run of the flow and shows its answer as it arrives. */
export function RunForm({ flow, document }: RunFormProps) {
  const fields = useMemo(() => inputFields(document), [document]);
  const [input, setInput] = useState('');
  const [session, setSession] = useState('');
  const [tweaks, setTweaks] = useState<Readonly<Record<string, Record<string, unknown>>>>({});
  const [run, setRun] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const set = (vertex: string, name: string, value: unknown) =>
    setTweaks((before) => ({ ...before, [vertex]: { ...before[vertex], [name]: value } }));
  const start = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { job_id: id } = await call<{ job_id: string }>('/api/v2/workflows', {
        method: 'POST',
        body: {
          flow_id: flow.id,
          mode: 'background',
          input_value: input,
          ...(session === '' ? {} : { session_id: session }),
          ...(Object.keys(tweaks).length === 0 ? {} : { tweaks }),
        },
      });
      setRun(id);
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <div className="halves">
      <Card title="Request">
        <form className="stack" onSubmit={(event) => void start(event)}>
          <div className="field">
            <label htmlFor="run-input">Input</label>
            <textarea
              id="run-input"
              className="input"
              rows={5}
              dir="auto"
              value={input}
              placeholder="What the chat or text input of the flow receives"
              onChange={(event) => setInput(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                  event.currentTarget.form?.requestSubmit();
              }}
            />
            <span className="hint">Ctrl+Enter runs the flow.</span>
          </div>
          {fields.map(({ node, name, field }) => (
            <Input
              key={`${node.id}.${name}`}
              flow={flow.id}
              node={node}
              name={name}
              field={field}
              onValue={(value) => set(node.id, name, value)}
            />
          ))}
          <div className="field">
            <label htmlFor="run-session">Session</label>
            <input
              id="run-session"
              className="input mono"
              value={session}
              placeholder="The flow's own session"
              onChange={(event) => setSession(event.target.value)}
            />
          </div>
          {error !== undefined && <ErrorNote error={error} />}
          <div className="row">
            <Button kind="primary" type="submit" disabled={busy}>
              <Play size={15} /> {busy ? 'Starting…' : 'Run'}
            </Button>
          </div>
        </form>
      </Card>
      {run === undefined ? (
        <Card title="Answer">
          <Empty title="Nothing yet">The answer appears here, token by token.</Empty>
        </Card>
      ) : (
        <Answer key={run} id={run} />
      )}
    </div>
  );
}

function Answer({ id }: { readonly id: string }) {
  const run = useRun(id);
  const live = useLiveRun(id, true);
  const messages = live?.messages ?? [];
  return (
    <Card
      title={<span className="row">Answer {run.data !== undefined && <State of={run.data.status} />}</span>}
      actions={<Link href={`/runs/${id}`}>Open the run</Link>}
    >
      <div className="stack" data-answer>
        {live?.stream === 'waiting' && run.data !== undefined && !hasEnded(run.data) && (
          <Note tone="warn">The connection was lost. The page connects again and reads what it missed.</Note>
        )}
        {run.data?.error && (
          <Note tone="bad" title={run.data.error.code}>
            <p className="note-text" dir="auto">
              {run.data.error.message}
            </p>
          </Note>
        )}
        {messages.length > 0 ? (
          <LiveMessages messages={messages} />
        ) : (
          run.data !== undefined && !run.data.error && <Outputs run={run.data} live={[]} />
        )}
      </div>
    </Card>
  );
}

interface InputField {
  readonly node: FlowNode;
  readonly name: string;
  readonly field: FlowField;
}

/** Fields of the vertices where values enter a flow; the input itself has a field of its own. */
function inputFields({ nodes }: FlowDocument): readonly InputField[] {
  const entries: InputField[] = [];
  for (const node of nodes) {
    const { type = '' } = node.data;
    const template = node.data.node?.template ?? {};
    for (const [name, field] of Object.entries(template)) {
      if (typeof field !== 'object' || field.show === false || name === 'code') continue;
      const isFile =
        field.type === 'file' && (type === 'File' || type === 'ChatInput' || type === 'FileComponent');
      const isText = /^(TextInput|Webhook)$/.test(type) && /^(input_value|data)$/.test(name);
      if (isFile || isText) entries.push({ node, name, field });
    }
  }
  return entries.slice(0, 12);
}

interface InputProps extends InputField {
  readonly flow: string;
  readonly onValue: (value: unknown) => void;
}

function Input({ flow, node, name, field, onValue }: InputProps) {
  const id = `field-${node.id}-${name}`;
  const label = `${node.data.node?.display_name ?? node.id}: ${field.display_name ?? name}`;
  if (field.type === 'file') return <FileField flow={flow} id={id} label={label} onPaths={onValue} />;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input"
        rows={2}
        dir="auto"
        placeholder={typeof field.value === 'string' ? field.value : ''}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  );
}
