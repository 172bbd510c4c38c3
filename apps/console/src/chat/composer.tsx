import { useMemo, useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import type { FlowDocument, FlowField, FlowNode } from '../api/answers';
import { Ban, Play } from '../ui/icons';
import { Button, ErrorNote } from '../ui/parts';
import { FileField } from './file-field';

/** A message that was sent from this page, or a run of the session that has not ended. */
export interface Turn {
  readonly run: string;
  readonly input: string;
}

interface ComposerProps {
  /** The id of the flow. */
  readonly flow: string;
  readonly document: FlowDocument;
  readonly session: string;
  readonly isRunning: boolean;
  readonly onStop: () => void;
  readonly onSent: (turn: Turn) => void;
}

/** Where a message is written. Values that enter the flow elsewhere are sent as tweaks. */
export function Composer({ flow, document, session, isRunning, onStop, onSent }: ComposerProps) {
  const fields = useMemo(() => inputFields(document), [document]);
  const hasChatInput = document.nodes.some(({ data }) => data.type === 'ChatInput');
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly string[]>([]);
  const [tweaks, setTweaks] = useState<Readonly<Record<string, Record<string, unknown>>>>({});
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  /** The field of files is new after each message. */
  const [round, setRound] = useState(0);
  const set = (vertex: string, name: string, value: unknown) =>
    setTweaks((before) => ({ ...before, [vertex]: { ...before[vertex], [name]: value } }));
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (isRunning || busy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { job_id: run } = await call<{ job_id: string }>('/api/v2/workflows', {
        method: 'POST',
        body: {
          flow_id: flow,
          mode: 'background',
          input_value: text,
          session_id: session,
          ...(files.length === 0 ? {} : { files }),
          ...(Object.keys(tweaks).length === 0 ? {} : { tweaks }),
        },
      });
      onSent({ run, input: text });
      setText('');
      setFiles([]);
      setRound(round + 1);
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  };
  return (
    <form className="composer" onSubmit={(event) => void send(event)}>
      {error !== undefined && <ErrorNote error={error} />}
      {(fields.length > 0 || hasChatInput) && (
        <details open={!hasChatInput}>
          <summary>{hasChatInput ? 'Files and other inputs' : 'Inputs'}</summary>
          <div className="stack">
            {hasChatInput && (
              <FileField
                key={round}
                flow={flow}
                id="playground-files"
                label="Files for the message"
                onPaths={setFiles}
              />
            )}
            {fields.map(({ node, name, field }) => (
              <Input
                key={`${node.id}.${name}`}
                flow={flow}
                node={node}
                name={name}
                field={field}
                onValue={(value) => set(node.id, name, value)}
              />
            ))}
          </div>
        </details>
      )}
      <div className="composer-line">
        <textarea
          className="input"
          aria-label="Message"
          rows={2}
          dir="auto"
          value={text}
          placeholder={hasChatInput ? 'Message' : 'The input of the flow'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
        {isRunning ? (
          <Button onClick={onStop}>
            <Ban size={15} /> Stop
          </Button>
        ) : (
          <Button kind="primary" type="submit" disabled={busy}>
            <Play size={15} /> {busy ? 'Sending…' : 'Send'}
          </Button>
        )}
      </div>
      <span className="muted">Enter sends, Shift+Enter begins a line.</span>
    </form>
  );
}

interface InputField {
  readonly node: FlowNode;
  readonly name: string;
  readonly field: FlowField;
}

/** Fields of the vertices where values enter a flow, besides its chat input. */
function inputFields({ nodes }: FlowDocument): readonly InputField[] {
  const entries: InputField[] = [];
  for (const node of nodes) {
    const { type = '' } = node.data;
    const template = node.data.node?.template ?? {};
    for (const [name, field] of Object.entries(template)) {
      if (typeof field !== 'object' || field.show === false || name === 'code') continue;
      const isFile = field.type === 'file' && (type === 'File' || type === 'FileComponent');
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
