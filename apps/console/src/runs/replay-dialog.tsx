import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/client';
import type { Run, RunRequest } from '../api/answers';
import { hasEnded } from '../api/queries';
import { Confirm } from '../ui/dialog';
import { toast } from '../ui/toast';

export interface ReplayDialogProps {
  readonly run: Run;
  /** Null when it is not kept: it cannot be changed then. */
  readonly request: RunRequest | null;
  readonly onClose: () => void;
}

/** What the dialog shows of a request, as texts. */
interface Draft {
  readonly payload: string | null;
  readonly inputs: readonly Partial<RunRequest['inputs'][number]>[];
  readonly session: string;
  readonly files: string;
  readonly tweaks: string;
}

/** Runs that ended with these states have one replay of their unchanged request; others, a further run each time. */
const REPLAYABLE = new Set<string>(['failed', 'timed_out', 'dead']);

/** Whether there is something to replay. */
export const canBeReplayed = (run: Run, request: RunRequest | null): boolean =>
  REPLAYABLE.has(run.status) || (hasEnded(run) && request !== null);

/** Runs the request of a run again, with or without changes. What the dialog does not show stays, such as variables. */
export function ReplayDialog({ run, request, onClose }: ReplayDialogProps) {
  const [, navigate] = useLocation();
  const [first] = useState(() => request && draftOf(run, request));
  const [draft, setDraft] = useState(first);
  const [version, setVersion] = useState('current');
  const replay = async () => {
    const isSame = draft === null || (draft === first && REPLAYABLE.has(run.status));
    const { runs } = await call<{ runs: readonly { replayed_as: string | null }[] }>(
      `/api/v1/runs/${run.id}/replay?version=${version}`,
      { method: 'POST', ...(isSame ? {} : { body: bodyOf(draft) }) },
    );
    toast('The replay has started');
    navigate(`/runs/${runs[0]?.replayed_as ?? run.id}`);
  };
  return (
    <Confirm title="Replay this run?" action="Replay" onClose={onClose} onConfirm={replay}>
      <p className="muted">A new run gets this request. This run stays as it is.</p>
      {draft !== null && <Changes draft={draft} onDraft={setDraft} />}
      <div className="field">
        <label htmlFor="replay-version">Version of the flow</label>
        <select
          id="replay-version"
          className="input"
          value={version}
          onChange={(event) => setVersion(event.target.value)}
        >
          <option value="current">The current version</option>
          <option value="same">Version {run.flow_version}, as in this run</option>
        </select>
      </div>
    </Confirm>
  );
}

interface ChangesProps {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
}

function Changes({ draft, onDraft }: ChangesProps) {
  const change = (changed: Partial<Draft>) => onDraft({ ...draft, ...changed });
  const { payload, inputs, session, files, tweaks } = draft;
  return (
    <>
      {payload !== null && (
        <Area
          label="Body of the webhook"
          rows={8}
          value={payload}
          onValue={(text) => change({ payload: text })}
        />
      )}
      {inputs.map((input, place) => (
        <Area
          key={place}
          label={inputs.length === 1 ? 'Input' : `Input ${place + 1}`}
          rows={payload === null ? 5 : 2}
          value={input.input_value ?? ''}
          onValue={(text) =>
            change({
              inputs: inputs.map((each, index) => (index === place ? { ...each, input_value: text } : each)),
            })
          }
        />
      ))}
      <Area
        label="Tweaks, as JSON"
        rows={3}
        isCode
        value={tweaks}
        onValue={(text) => change({ tweaks: text })}
      />
      {files !== '' && (
        <Area
          label="Files, one a line"
          rows={2}
          isCode
          value={files}
          onValue={(text) => change({ files: text })}
        />
      )}
      <div className="field">
        <label htmlFor="replay-session">Session</label>
        <input
          id="replay-session"
          className="input mono"
          value={session}
          onChange={(event) => change({ session: event.target.value })}
        />
      </div>
    </>
  );
}

interface AreaProps {
  readonly label: string;
  readonly rows: number;
  readonly value: string;
  readonly isCode?: boolean;
  readonly onValue: (value: string) => void;
}

function Area({ label, rows, value, isCode = false, onValue }: AreaProps) {
  const id = `replay-${label.replaceAll(/\W+/g, '-')}`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className={isCode ? 'input mono' : 'input'}
        rows={rows}
        value={value}
        dir={isCode ? 'ltr' : 'auto'}
        onChange={(event) => onValue(event.target.value)}
      />
    </div>
  );
}

function draftOf(
  run: Run,
  { webhook_payload: payload = null, inputs, files = [], ...request }: RunRequest,
): Draft {
  const isEmpty = inputs.every(({ input_value: value }) => !value);
  return {
    payload,
    // The input of a webhook is empty, unless its flow or trigger sets one.
    inputs: payload !== null && isEmpty ? [] : inputs.length > 0 ? inputs : [{ input_value: '' }],
    session: request.session_id ?? run.session_id,
    files: files.join('\n'),
    tweaks: JSON.stringify(request.tweaks ?? {}, null, 2),
  };
}

/** Returns the body of the replay. Throws when the tweaks are no JSON. */
function bodyOf({ payload, inputs, session, files, tweaks }: Draft): Record<string, unknown> {
  return {
    ...(payload === null ? {} : { webhook_payload: payload }),
    ...(inputs.length === 0 ? {} : { inputs }),
    session_id: session,
    files: files.split('\n').filter((file) => file.trim() !== ''),
    tweaks: tweaksOf(tweaks),
  };
}

function tweaksOf(text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The tweaks are no JSON: ${reason}`, { cause: error });
  }
}
