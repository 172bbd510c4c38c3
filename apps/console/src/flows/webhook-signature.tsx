import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import { useVariables } from '../api/variables';
import type { Flow, FlowSettings } from '../api/answers';
import { Button, Card, ErrorNote, Note, Paste } from '../ui/parts';
import { toast } from '../ui/toast';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useSettingsSchema } from './settings-schema';
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

interface SignatureFormProps {
  readonly flow: string;
  readonly signature: Signature | undefined;
  readonly onMade: (secret: string) => void;
}

/** The rule of the signature. It is saved with a new secret when none is chosen. */
function SignatureForm({ flow, signature, onMade }: SignatureFormProps) {
  const client = useQueryClient();
  const [values, setValues] = useState<Values>(
    signature === undefined ? { scheme: DEFAULT_SCHEME } : { ...signature },
  );
  const [name, setName] = useState('WEBHOOK_SECRET');
  const schema = useSettingsSchema().data?.['webhook']?.properties?.['signature'];
  const options = useVariableOptions();
  const chosen = (values['secrets'] ?? []) as readonly string[];
  const make = useMakeSecret(onMade);
  const add = async () => {
    await make(name, String(values['scheme'] ?? ''));
    const next = { ...values, secrets: [name, ...chosen] };
    setValues(next);
    return next;
  };
  const addOnly = useMutation({ mutationFn: add });
  const save = useMutation({
    mutationFn: async (wanted: 'form' | 'none') => {
      const rule = wanted === 'none' ? null : chosen.length === 0 ? await add() : values;
      // A member that is null is removed; others of the settings stay.
      const body = { settings: { webhook: { signature: rule && changesOf(signature, rule) } } };
      await call(`/api/v1/flows/${flow}`, { method: 'PATCH', body });
    },
    onSuccess: (_, wanted) => {
      toast(wanted === 'none' ? 'Senders need an API key again' : 'Senders have to sign from now on');
      return client.invalidateQueries({ queryKey: ['flow', flow] });
    },
  });
  const isBusy = save.isPending || addOnly.isPending;
  const error = save.error ?? addOnly.error;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate('form');
  };
  return (
    <form className="stack" onSubmit={submit}>
      <div className="settings-fields">
        {schema?.properties !== undefined && (
          <SettingsForm members={schema.properties} values={values} options={options} onChange={setValues} />
        )}
      </div>
      <div className="field">
        <label htmlFor="secret-name">Variable for a new secret</label>
        <span className="row">
          <input
            id="secret-name"
            className="input mono"
            required={chosen.length === 0}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button disabled={isBusy || name === ''} onClick={() => addOnly.mutate()}>
            New secret
          </Button>
        </span>
        <span className="hint">
          One is made and saved when no secret is chosen. Store a secret that the sender gave you under{' '}
          <Link href="/access/variables">Variables</Link>.
        </span>
      </div>
      {error !== null && <ErrorNote error={error} />}
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Save the signature
        </Button>
        {signature !== undefined && (
          <Button kind="danger" disabled={isBusy} onClick={() => save.mutate('none')}>
            Remove it
          </Button>
        )}
      </div>
    </form>
  );
}

/** The change from one rule to the other: members that the new one lacks are null. */
const changesOf = (before: object | undefined, after: Values): Values => ({
  ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null])),
  ...after,
});

/** Returns a function that makes a secret for a scheme and stores it as a variable; the sender gets it from here, once. */
function useMakeSecret(onMade: (secret: string) => void) {
  const client = useQueryClient();
  const variables = useVariables();
  return async (name: string, scheme: string) => {
    if (variables.data?.some((each) => each.name === name))
      throw new Error(`The variable ${name} exists. Choose another name.`);
    const value = newSecret(scheme);
    await call('/api/v1/variables/', {
      method: 'POST',
      body: { name, value, type: 'Credential', default_fields: [] },
    });
    onMade(value);
    await client.invalidateQueries({ queryKey: ['variables'] });
  };
}

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
