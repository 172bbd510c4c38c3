import { createContext, useContext, useId } from 'react';
import type { ReactNode } from 'react';
import { fromFieldTime, toFieldTime } from '../ui/format';
import { Button } from '../ui/parts';
import type { FieldKind, Members, Schema } from './settings-schema';
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
  answeredBy: 'Names of users; superusers stands for all admins. One a line.',
  callbacks: 'Where the ends of runs are reported: to a URL signed by secrets, or by AMQP.',
  alerts: 'When callbacks on “alert” report the flow: while what is measured is at least the threshold.',
  threshold: 'Failures: a share from 0 to 1. Latency and waiting: seconds. Spend: US dollars.',
  signature: 'How senders sign; they then need no API key.',
  challenge: 'How senders verify the address.',
  connection: 'The variable that has the URL of the broker.',
  addresses: 'IP addresses or subnets from which the key can be used. One a line.',
  payloads: 'Whether a viewer sees inputs, outputs and messages; the other roles see them.',
  access: 'read_only reads and starts no runs; run_only starts runs and reads its own.',
  expires_at: 'Empty: never.',
  weight: 'Runs of the project that start in each turn while runs of several projects wait; 1 without one.',
  warn_at: 'A share of the budget from 0.01 to 1, after which callbacks on “budget” report it.',
  end_users: 'The key acts for end users: the header or the token of each request names one.',
};

/** A value that a member can have, and its title. */
export interface Option {
  readonly value: string;
  readonly title: string;
}

/** What can be chosen for a member that holds names or ids. */
export type Options = Readonly<Record<string, readonly Option[]>>;

const OptionsOfForm = createContext<Options>({});

export interface SettingsFormProps {
  readonly members: Members;
  readonly values: Values;
  readonly options?: Options;
  readonly onChange: (values: Values) => void;
}

/** Fields for members of a body, such as the settings of a flow. An empty one is the default, which is not stored. */
export function SettingsForm({ members, values, options = {}, onChange }: SettingsFormProps) {
  return (
    <OptionsOfForm value={options}>
      <Fields members={members} values={values} onChange={onChange} />
    </OptionsOfForm>
  );
}

interface FieldsProps {
  readonly members: Members;
  readonly values: Values;
  /** Members without which the group cannot be. */
  readonly required?: readonly string[];
  readonly onChange: (values: Values) => void;
}

function Fields({ members, values, required = [], onChange }: FieldsProps) {
  const isGiven = Object.keys(values).length > 0;
  return groupsLast(members).map(([name, schema]) => (
    <Member
      key={name}
      name={name}
      schema={schema}
      needed={!required.includes(name) ? 'never' : isGiven ? 'now' : 'with others'}
      value={values[name]}
      onChange={(value) => onChange(withMember(values, name, value))}
    />
  ));
}

const GROUPS: readonly (FieldKind | undefined)[] = ['group', 'list'];

const groupsLast = (members: Members) => {
  const isGroup = ([, schema]: readonly [string, Schema]) => GROUPS.includes(fieldKind(schema));
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

const orNothing = (list: readonly unknown[]) => (list.length === 0 ? undefined : list);

interface MemberProps {
  readonly name: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** A member that its group cannot be without is needed once another one is set. */
  readonly needed?: 'never' | 'now' | 'with others';
  readonly onChange: (value: unknown) => void;
}

function Member(props: MemberProps) {
  const { name, schema, value, onChange } = props;
  const options = useContext(OptionsOfForm)[name];
  const kind = fieldKind(schema);
  if (kind === 'group')
    return (
      <Group title={titleOf(name)} hint={name}>
        <Fields
          members={schema.properties ?? {}}
          required={schema.required ?? []}
          values={groupOf(name, value)}
          onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
        />
      </Group>
    );
  if (kind === 'list') return <List {...props} />;
  if (kind === 'choices') {
    const words = schema.items?.enum ?? [];
    return <Choices {...props} of={words.map((each) => ({ value: String(each), title: String(each) }))} />;
  }
  if (kind === 'lines' && options !== undefined)
    return <Choices {...props} of={withUnknown(options, value)} />;
  return kind === undefined ? null : <Field {...props} />;
}

/** What is stored can be chosen, too, where it does not exist any more. */
function withUnknown(options: readonly Option[], stored: unknown): readonly Option[] {
  const given = Array.isArray(stored) ? stored.map(String) : [];
  const unknown = given.filter((each) => !options.some(({ value }) => value === each));
  return [...options, ...unknown.map((value) => ({ value, title: value }))];
}

function Group({
  title,
  hint,
  children,
}: {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}) {
  return (
    <fieldset className="scopes">
      <legend>{title}</legend>
      {hint !== undefined && <Hint of={hint} />}
      <div className="settings-fields">{children}</div>
    </fieldset>
  );
}

/** Groups of which there can be several, such as callbacks. */
function List({ name, schema, value, onChange }: MemberProps) {
  const items = Array.isArray(value) ? (value as readonly Values[]) : [];
  const title = titleOf(name);
  const one = title.replace(/s$/, '');
  return (
    <Group title={title} hint={name}>
      {items.map((item, index) => (
        <Group key={index} title={`${one} ${index + 1}`}>
          <Fields
            members={schema.items?.properties ?? {}}
            required={schema.items?.required ?? []}
            values={item}
            onChange={(next) => onChange(items.map((each, place) => (place === index ? next : each)))}
          />
          <div className="row">
            <Button
              size="small"
              kind="danger"
              aria-label={`Remove ${one.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(orNothing(items.filter((_, place) => place !== index)))}
            >
              Remove
            </Button>
          </div>
        </Group>
      ))}
      <div className="row">
        <Button size="small" onClick={() => onChange([...items, {}])}>
          Add {/^[aeiou]/i.test(one) ? 'an' : 'a'} {one.toLowerCase()}
        </Button>
      </div>
    </Group>
  );
}

function Field({ name, schema, value, needed = 'never', onChange }: MemberProps) {
  const id = useId();
  const options = useContext(OptionsOfForm)[name];
  const kind = fieldKind(schema);
  return (
    <div className="field">
      <label htmlFor={id}>{titleOf(name)}</label>
      {kind === 'choice' || kind === 'switch' ? (
        <Select
          id={id}
          of={kind === 'switch' ? [true, false] : (schema.enum ?? [])}
          value={value}
          onChange={onChange}
        />
      ) : kind === 'lines' ? (
        <textarea
          id={id}
          className="input"
          rows={3}
          dir="auto"
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value.split('\n'))}
          onBlur={() => onChange(orNothing(linesOf(value)))}
        />
      ) : (
        <input
          id={id}
          className="input"
          type={kind === 'time' ? 'datetime-local' : kind}
          list={options === undefined ? undefined : `${id}-options`}
          required={needed === 'now'}
          min={schema.minimum}
          max={schema.maximum}
          step={kind === 'time' ? undefined : [schema.type].flat().includes('integer') ? 1 : 'any'}
          placeholder={needed === 'never' ? 'default' : ''}
          value={
            kind === 'time' && typeof value === 'string'
              ? toFieldTime(value)
              : typeof value === 'string' || typeof value === 'number'
                ? value
                : ''
          }
          onChange={({ target }) => onChange(target.value === '' ? undefined : readField(kind, target))}
        />
      )}
      {options !== undefined && kind === 'text' && (
        <datalist id={`${id}-options`}>
          {options.map(({ value: each, title }) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </datalist>
      )}
      <Hint of={name} />
    </div>
  );
}

function readField(kind: FieldKind | undefined, { value, valueAsNumber }: HTMLInputElement): unknown {
  if (kind === 'number') return valueAsNumber;
  return kind === 'time' ? fromFieldTime(value) : value;
}

const linesOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : []).map((line) => String(line).trim()).filter((line) => line !== '');

interface SelectProps {
  readonly id: string;
  readonly of: readonly unknown[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Select({ id, of, value, onChange }: SelectProps) {
  return (
    <select
      id={id}
      className="input"
      value={value === undefined || value === null ? '' : String(value)}
      onChange={(event) => onChange(of.find((each) => each !== null && String(each) === event.target.value))}
    >
      <option value="">default</option>
      {of.map((each) =>
        each === null ? null : (
          <option key={String(each)} value={String(each)}>
            {typeof each !== 'boolean' ? String(each) : each ? 'yes' : 'no'}
          </option>
        ),
      )}
    </select>
  );
}

function Choices({ name, value, of, onChange }: MemberProps & { readonly of: readonly Option[] }) {
  const chosen = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <div className="field" role="group" aria-label={titleOf(name)}>
      <span className="label">{titleOf(name)}</span>
      <div className="choices">
        {of.map((each) => (
          <label key={each.value} className="row check">
            <input
              type="checkbox"
              checked={chosen.includes(each.value)}
              onChange={(event) =>
                onChange(
                  orNothing(
                    event.target.checked
                      ? [...chosen, each.value]
                      : chosen.filter((other) => other !== each.value),
                  ),
                )
              }
            />
            <span dir="auto">{each.title}</span>
          </label>
        ))}
        {of.length === 0 && <span className="muted small">There are none.</span>}
      </div>
      <Hint of={name} />
    </div>
  );
}

function Hint({ of }: { readonly of: string }) {
  return HINTS[of] === undefined ? null : <span className="hint muted small">{HINTS[of]}</span>;
}
