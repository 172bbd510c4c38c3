import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { ApiError, call } from '../api/client';
import { useMay } from '../api/session';
import { useVariables } from '../api/variables';
import type { Variable } from '../api/variables';
import type { Flow, FlowSettings } from '../api/answers';
import { Button, Card, ErrorNote, Note, Paste } from '../ui/parts';
import { toast } from '../ui/toast';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useSettingsSchema } from './settings-schema';
import type { Members } from './settings-schema';
import { useVariableOptions } from './variable-options';

type Signature = NonNullable<NonNullable<FlowSettings['webhook']>['signature']>;

/** How senders of the webhook sign: the rule, a new secret, and a signed delivery to try it. */
export function WebhookSignature({ flow }: { readonly flow: Flow }) {
  const canManage = useMay('manage');
  const webhook = (flow.settings['webhook'] ?? {}) as { readonly signature?: Signature };
  // It is shown once, and stays while the form is made anew.
  const [made, setMade] = useState<string>();
  if (!canManage) return null;
  return (
    <Card title="Signature of senders">
      <SignatureForm
        key={JSON.stringify(webhook.signature)}
        flow={flow.id}
        signature={webhook.signature}
        onMade={setMade}
      />
      {made !== undefined && (
        <Note tone="warn" title="Give this to the sender now: it is not shown again">
          <Paste text={made} label="The new secret" />
        </Note>
      )}
      {webhook.signature !== undefined && <SignedTest flow={flow.id} />}
    </Card>
  );
}

const DEFAULT_SCHEME = 'standard-webhooks';

/** Schemes by what senders call themselves; others of the API have their own names. */
const TITLES: Readonly<Record<string, string>> = {
  'standard-webhooks': 'Standard Webhooks',
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  hmac: 'Other HMAC',
};

interface SignatureFormProps {
  readonly flow: string;
  readonly signature: Signature | undefined;
  readonly onMade: (secret: string | undefined) => void;
}

/** The rule of the signature. It is saved with a new secret when none is chosen. */
function SignatureForm({ flow, signature, onMade }: SignatureFormProps) {
  const client = useQueryClient();
  const [values, setValues] = useState<Values>(
    signature === undefined ? { scheme: DEFAULT_SCHEME } : { ...signature },
  );
  const schema = useSettingsSchema().data?.['webhook']?.properties?.['signature'];
  const options = useVariableOptions();
  const secret = useNewSecret();
  const { scheme: chosenScheme, ...others } = schema?.properties ?? {};
  const scheme = String(values['scheme'] ?? DEFAULT_SCHEME);
  const chosen = (values['secrets'] ?? []) as readonly string[];
  const save = useMutation({
    mutationFn: async (wanted: 'form' | 'new secret' | 'none') => {
      const isNew = wanted === 'new secret' || chosen.length === 0 || secret.given.trim() !== '';
      const made = wanted !== 'none' && isNew ? await secret.store(scheme) : undefined;
      const secrets = made === undefined ? chosen : [made.name, ...chosen];
      const rule = wanted === 'none' ? null : changesOf(signature, { ...values, secrets });
      // A member that is null is removed; others of the settings stay.
      const body = { settings: { webhook: { signature: rule } } };
      await call(`/api/v1/flows/${flow}`, { method: 'PATCH', body }).catch(async (error: unknown) => {
        if (wasRefused(error)) await made?.remove();
        throw error;
      });
      return made;
    },
    onSuccess: (made, wanted) => {
      onMade(made?.toShow);
      toast(wanted === 'none' ? 'Senders need an API key again' : 'Senders have to sign from now on');
      return client.invalidateQueries({ queryKey: ['flow', flow] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate('form');
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="chips" role="group" aria-label="Who signs">
        {(chosenScheme?.enum ?? []).map(String).map((each) => (
          <button
            key={each}
            type="button"
            className="chip"
            aria-pressed={each === scheme}
            onClick={() => setValues({ ...values, scheme: each })}
          >
            {TITLES[each] ?? each}
          </button>
        ))}
      </div>
      <SecretFields of={secret} />
      <details open={signature !== undefined}>
        <summary>Stored secrets and options</summary>
        <div className="settings-fields">
          <SettingsForm
            members={scheme === 'hmac' ? others : withoutHmac(others)}
            values={values}
            options={options}
            onChange={setValues}
          />
        </div>
      </details>
      {save.error !== null && <ErrorNote error={save.error} />}
      <div className="row">
        <Button kind="primary" type="submit" disabled={save.isPending}>
          Save the signature
        </Button>
        {chosen.length > 0 && (
          <Button disabled={save.isPending} onClick={() => save.mutate('new secret')}>
            Save with a new secret
          </Button>
        )}
        {signature !== undefined && (
          <Button kind="danger" disabled={save.isPending} onClick={() => save.mutate('none')}>
            Remove it
          </Button>
        )}
      </div>
    </form>
  );
}

/** Whether the server certainly changed nothing. After other errors, the rule can have the new secret. */
const wasRefused = (error: unknown) => error instanceof ApiError && error.status >= 400 && error.status < 500;

/** The members that all schemes have. */
const withoutHmac = ({ header: _, encoding: __, ...others }: Members): Members => others;

interface NewSecret {
  readonly name: string;
  readonly setName: (name: string) => void;
  /** What the sender gave; empty for one that is made. */
  readonly given: string;
  readonly setGiven: (secret: string) => void;
  /** Stores the secret as a variable. */
  readonly store: (scheme: string) => Promise<StoredSecret>;
}

interface StoredSecret {
  readonly name: string;
  /** The one that was made for the sender. */
  readonly toShow: string | undefined;
  /** Deletes the variable again, as far as the server answers. */
  readonly remove: () => Promise<void>;
}

function useNewSecret(): NewSecret {
  const client = useQueryClient();
  const variables = useVariables();
  const [named, setName] = useState<string>();
  const [given, setGiven] = useState('');
  const taken = new Set((variables.data ?? []).map((each) => each.name));
  const name = named ?? freeName('WEBHOOK_SECRET', taken);
  const store = async (scheme: string) => {
    if (taken.has(name)) throw new Error(`The variable ${name} exists. Choose another name.`);
    const ofSender = given.trim();
    const value = ofSender || newSecret(scheme);
    const { id } = await call<Variable>('/api/v1/variables/', {
      method: 'POST',
      body: { name, value, type: 'Credential', default_fields: [] },
    });
    const refresh = () => client.invalidateQueries({ queryKey: ['variables'] });
    const remove = async () => {
      await call(`/api/v1/variables/${id}`, { method: 'DELETE' }).catch(() => undefined);
      await refresh();
    };
    await refresh();
    return { name, toShow: ofSender === '' ? value : undefined, remove };
  };
  return { name, setName, given, setGiven, store };
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}_${number}`;
    if (!taken.has(name)) return name;
  }
}

function SecretFields({ of: { name, setName, given, setGiven } }: { readonly of: NewSecret }) {
  return (
    <div className="settings-fields">
      <div className="field">
        <label htmlFor="given-secret">Secret that the sender gave you</label>
        <input
          id="given-secret"
          className="input mono"
          type="password"
          autoComplete="off"
          placeholder="one is made"
          value={given}
          onChange={(event) => setGiven(event.target.value)}
        />
        <span className="hint">Stripe and Slack show one. For other senders leave it empty.</span>
      </div>
      <div className="field">
        <label htmlFor="secret-name">Variable for a new secret</label>
        <input
          id="secret-name"
          className="input mono"
          required
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <span className="hint">
          Encrypted, as all <Link href="/access/variables">Variables</Link>.
        </span>
      </div>
    </div>
  );
}

/** The change from one rule to the other: members that the new one lacks are null. */
const changesOf = (before: object | undefined, after: Values): Values => ({
  ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null])),
  ...after,
});

/** 32 random bytes: in base64 with its prefix for Standard Webhooks, in hexadecimal for other schemes. */
function newSecret(scheme: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  if (scheme === 'standard-webhooks') return `whsec_${btoa(String.fromCharCode(...bytes))}`;
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

interface Verdict {
  readonly status: number;
  readonly run: string | null;
  readonly text: string;
}

/** Sends a signed delivery to the address of the webhook as a sender does, and shows the answer. */
function SignedTest({ flow }: { readonly flow: string }) {
  const client = useQueryClient();
  const [body, setBody] = useState('{"order": 7}');
  const send = useMutation({
    mutationFn: async (): Promise<Verdict> => {
      const { headers } = await call<{ headers: Record<string, string> }>(
        `/api/v1/flows/${flow}/test-signature`,
        { method: 'POST', body: { body } },
      );
      const answer = await fetch(`/api/v1/webhook/${flow}`, {
        method: 'POST',
        credentials: 'omit',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      });
      return { status: answer.status, run: answer.headers.get('x-run-id'), text: await answer.text() };
    },
    onSettled: () =>
      Promise.all([['deliveries'], ['refused']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  });
  const verdict = send.data;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="signed-body">Body of a signed test delivery</label>
        <textarea
          id="signed-body"
          className="input mono"
          rows={3}
          spellCheck={false}
          value={body}
          onChange={(event) => setBody(event.target.value)}
        />
        <span className="hint">
          It starts a run. The first secret signs; a changed variable counts after 30 s.
        </span>
      </div>
      <div className="row">
        <Button type="submit" disabled={send.isPending}>
          Send it signed
        </Button>
      </div>
      {send.error !== null && <ErrorNote error={send.error} />}
      {verdict !== undefined && (
        <Note
          title={verdict.status < 300 ? 'The signature was accepted' : 'The delivery was refused'}
          {...(verdict.status < 300 ? {} : { tone: 'bad' as const })}
        >
          <p className="note-text" dir="auto">
            {verdict.status} {verdict.status < 300 ? '' : verdict.text}{' '}
            {verdict.run !== null && <Link href={`/runs/${verdict.run}`}>Open its run</Link>}
          </p>
        </Note>
      )}
    </form>
  );
}
