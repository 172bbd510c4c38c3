import type { CallMessage, CallRecord, VertexRecord } from '../api/answers';
import { cost, count, duration, plural } from '../ui/format';
import { LongText } from '../ui/long-text';
import { Note, State } from '../ui/parts';
import { ValueView } from '../ui/value-view';

/** What a call used, in a line. */
export const callFacts = ({
  kind,
  input_tokens: input,
  output_tokens: output,
  cost_usd: dollars,
}: CallRecord) =>
  [
    kind === 'tool' && 'tool',
    input !== null && `${count(input)} in · ${count(output ?? 0)} out`,
    dollars !== null && cost(dollars),
  ]
    .filter(Boolean)
    .join(' · ');

interface CallsProps {
  readonly record: VertexRecord;
  /** The call that is open at first. */
  readonly open: number | undefined;
}

/** The calls of models and tools of a vertex in their order, each with its messages or its arguments and result. */
export function Calls({ record, open }: CallsProps) {
  const { calls, models, tool_calls: tools } = record;
  const further = models.reduce((sum, model) => sum + model.calls, tools) - calls.length;
  if (calls.length === 0) return null;
  return (
    <section className="stack" aria-label="Calls">
      <h3>Calls of models and tools</h3>
      {calls.map((call, index) => (
        <details key={`${index} ${index === open}`} className="tool-call" open={index === open}>
          <summary>
            <span>
              {index + 1}. {call.kind === 'tool' ? 'Tool ' : ''}
              <strong dir="auto">{call.name || 'model'}</strong>
            </span>
            <State of={call.state} />
            <span className="muted small">
              {[duration(call.end_milliseconds - call.start_milliseconds), callFacts(call)]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </summary>
          <Call call={call} place={index + 1} />
        </details>
      ))}
      {further > 0 && <p className="muted">{plural(further, 'further call')} without a record.</p>}
    </section>
  );
}

function Call({ call, place }: { readonly call: CallRecord; readonly place: number }) {
  const { kind, messages, answer, earlier_messages: earlier, arguments: given, result, error } = call;
  const isKept = kind === 'model' ? messages !== null : given !== null;
  return (
    <div className="stack call">
      {error !== null && (
        <Note tone="bad">
          <p className="note-text" dir="auto">
            {error}
          </p>
        </Note>
      )}
      {!isKept && <NotKept />}
      {earlier > 0 && <p className="muted">After {plural(earlier, 'message')} of the call before.</p>}
      {messages?.map((message, index) => (
        <Message key={index} of={message} label={`Message ${index + 1} of call ${place}`} />
      ))}
      {answer !== null && <Message of={answer} label={`Answer of call ${place}`} />}
      {kind === 'tool' && isKept && (
        <>
          <span className="value-name">Arguments</span>
          <ValueView value={given} label={`Arguments of call ${place}`} />
          {result !== null && (
            <>
              <span className="value-name">Result</span>
              <LongText text={result} label={`Result of call ${place}`} />
            </>
          )}
        </>
      )}
    </div>
  );
}

function Message({ of, label }: { readonly of: CallMessage; readonly label: string }) {
  return (
    <div className="value-entry">
      <span className="value-name">{of.role}</span>
      {of.content !== '' && <LongText text={of.content} label={label} />}
      {of.tool_calls.map(({ name, arguments: given }, index) => (
        <p key={index} className="mono value-text" dir="auto">
          {name}({given})
        </p>
      ))}
    </div>
  );
}

/** Why there are no values. */
export const NotKept = () => <p className="muted">Values are not kept.</p>;
