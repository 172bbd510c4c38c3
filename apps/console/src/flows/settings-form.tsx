import { useId } from 'react';
import type { Schema } from './settings-schema';
import { fieldKind, titleOf } from './settings-schema';

export type Values = Readonly<Record<string, unknown>>;

/** What the settings do, where the name does not say it. */
const HINTS: Readonly<Record<string, string>> = {
  concurrency: 'Background runs of the flow at the same time.',
  deadlineSeconds: 'Of each run; never more than that of the installation.',
  sessions: 'Of callers that name none: one that they share, or an own one for each.',
  retry: 'When a failed background run is tried again. Needs attempts.',
  records: 'What is kept of runs, vertices and steps of agents.',
  unfinishedEffects: 'After a crash during an effect: repeat it, or fail.',
  editedCode: 'Vertices with edited code are refused, or run the stock component.',
  retention: 'Days that rows are kept.',
  durable: 'Runs whose callers wait are recorded before they start, too.',
};

export interface SettingsFormProps {
  readonly members: Readonly<Record<string, Schema>>;
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

/** Fields for the settings of a flow. An empty one is the default, which is not stored. */
export function SettingsForm({ members, values, onChange }: SettingsFormProps) {
  const set = (name: string, value: unknown) => onChange(withMember(values, name, value));
  return (
    <>
      {groupsLast(members).map(([name, schema]) => {
        const kind = fieldKind(schema);
        if (kind === undefined) return null;
        if (kind !== 'group')
          return (
            <Field
              key={name}
              name={name}
              schema={schema}
              value={values[name]}
              onChange={(value) => set(name, value)}
            />
          );
        const group = groupOf(name, values[name]);
        return (
          <fieldset key={name} className="scopes">
            <legend>{titleOf(name)}</legend>
            <Hint of={name} />
            <div className="settings-fields">
              {Object.entries(schema.properties ?? {}).map(([member, each]) => (
                <Field
                  key={member}
                  name={member}
                  schema={each}
                  needed={
                    schema.required?.includes(member) !== true
                      ? 'never'
                      : Object.keys(group).length > 0
                        ? 'now'
                        : 'with others'
                  }
                  value={group[member]}
                  onChange={(value) => {
                    const next = withMember(group, member, value);
                    set(name, Object.keys(next).length === 0 ? undefined : next);
                  }}
                />
              ))}
            </div>
          </fieldset>
        );
      })}
    </>
  );
}

const groupsLast = (members: SettingsFormProps['members']) => {
  const isGroup = ([, schema]: readonly [string, Schema]) => fieldKind(schema) === 'group';
  const all = Object.entries(members);
  return [...all.filter((each) => !isGroup(each)), ...all.filter(isGroup)];
};

/** A word of `records` stands for its member `runs`. */
const groupOf = (name: string, value: unknown): Values =>
  typeof value === 'string' && name === 'records' ? { runs: value } : ((value ?? {}) as Values);

function withMember(values: Values, name: string, value: unknown): Values {
  const others = Object.entries(values).filter(([each]) => each !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}

interface FieldProps {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** A member that its group cannot be without is needed once another one is set. */
  readonly needed?: 'never' | 'now' | 'with others';
  readonly onChange: (value: unknown) => void;
}

function Field({ name, schema, value, needed = 'never', onChange }: FieldProps) {
  const id = useId();
  const kind = fieldKind(schema);
  if (kind === 'choices') return <Choices name={name} schema={schema} value={value} onChange={onChange} />;
  const options = kind === 'switch' ? [true, false] : (schema.enum ?? []);
  return (
    <div className="field">
      <label htmlFor={id}>{titleOf(name)}</label>
      {kind === 'choice' || kind === 'switch' ? (
        <select
          id={id}
          className="input"
          value={value === undefined ? '' : String(value)}
          onChange={(event) => onChange(options.find((each) => String(each) === event.target.value))}
        >
          <option value="">default</option>
          {options.map((each) => (
            <option key={String(each)} value={String(each)}>
              {kind === 'choice' ? String(each) : each === true ? 'yes' : 'no'}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className="input"
          type={kind}
          required={needed === 'now'}
          min={schema.minimum}
          max={schema.maximum}
          step={[schema.type].flat().includes('integer') ? 1 : 'any'}
          placeholder={needed === 'never' ? 'default' : ''}
          value={typeof value === 'string' || typeof value === 'number' ? value : ''}
          onChange={({ target }) =>
            onChange(
              target.value === '' ? undefined : kind === 'number' ? target.valueAsNumber : target.value,
            )
          }
        />
      )}
      <Hint of={name} />
    </div>
  );
}

function Choices({ name, schema, value, onChange }: FieldProps) {
  const chosen = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <div className="field" role="group" aria-label={titleOf(name)}>
      <span className="label">{titleOf(name)}</span>
      {(schema.items?.enum ?? []).map((each) => (
        <span key={String(each)}>
          <label className="row check">
            <input
              type="checkbox"
              checked={chosen.includes(each)}
              onChange={(event) => {
                const next = event.target.checked
                  ? [...chosen, each]
                  : chosen.filter((other) => other !== each);
                onChange(next.length === 0 ? undefined : next);
              }}
            />
            {String(each)}
          </label>
        </span>
      ))}
    </div>
  );
}

function Hint({ of }: { readonly of: string }) {
  return HINTS[of] === undefined ? null : <span className="hint muted small">{HINTS[of]}</span>;
}
