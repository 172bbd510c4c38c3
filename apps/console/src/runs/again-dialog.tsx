import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/client';
import type { Run, RunInput, RunRequest } from '../api/answers';
import { Confirm } from '../ui/dialog';

export interface AgainDialogProps {
  readonly run: Run;
  readonly request: RunRequest;
  readonly onClose: () => void;
}

/** What the dialog shows of a request, as texts. */
interface Draft {
  readonly payload: string | null;
  readonly inputs: readonly RunInput[];
  readonly session: string;
  readonly files: string;
  readonly tweaks: string;
}

/** Runs the request of a run again with changes. What the dialog does not show stays, such as variables. */
export function AgainDialog({ run, request, onClose }: AgainDialogProps) {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(() => draftOf(run, request));
  const change = (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed }));
  const again = async () => {
    const { runs } = await call<{ runs: readonly { replayed_as: string }[] }>(
      `/api/v1/runs/${run.id}/replay`,
      { method: 'POST', body: bodyOf(draft) },
    );
    navigate(`/runs/${runs[0]?.replayed_as ?? run.id}`);
  };
  const { payload, inputs, session, files, tweaks } = draft;
  return (
    <Confirm title="Run again with changed input" action="Run" onClose={onClose} onConfirm={again}>
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
        <label htmlFor="again-session">Session</label>
        <input
          id="again-session"
          className="input mono"
          value={session}
          onChange={(event) => change({ session: event.target.value })}
        />
        <span className="hint">The current version of the flow runs. Variables of the request stay.</span>
      </div>
    </Confirm>
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
  const id = `again-${label.replaceAll(/\W+/g, '-')}`;
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
