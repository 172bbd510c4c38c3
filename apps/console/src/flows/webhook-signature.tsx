import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { call } from '../api/client';
import { useMay } from '../api/session';
import { useVariables } from '../api/variables';
import type { Flow } from '../api/answers';
import { Button, Card, ErrorNote, Note, Paste } from '../ui/parts';
import { toast } from '../ui/toast';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useSettingsSchema } from './settings-schema';
import { useVariableOptions } from './variable-options';

interface Signature {
  readonly scheme: string;
  readonly secrets: readonly string[];
}

/** How senders of the webhook sign: the rule, a new secret, and a signed delivery to try it. */
export function WebhookSignature({ flow }: { readonly flow: Flow }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const webhook = (flow.settings['webhook'] ?? {}) as { readonly signature?: Signature };
  const [values, setValues] = useState<Values>({ ...webhook.signature });
  const schema = useSettingsSchema().data?.['webhook']?.properties?.['signature'];
  const options = useVariableOptions();
  const save = useMutation({
    mutationFn: (signature: Values | null) =>
      // A member that is null is removed; others of the settings stay.
      call(`/api/v1/flows/${flow.id}`, { method: 'PATCH', body: { settings: { webhook: { signature } } } }),
    onSuccess: (_, signature) => {
      toast(signature === null ? 'Senders need an API key again' : 'Senders have to sign from now on');
      return client.invalidateQueries({ queryKey: ['flow', flow.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(changesOf(webhook.signature, values));
  };
  if (!canManage) return null;
  return (
    <Card title="Signature of senders">
      <form className="stack" onSubmit={submit}>
        <div className="settings-fields">
          {schema?.properties !== undefined && (
            <SettingsForm
              members={schema.properties}
              values={values}
              options={options}
              onChange={setValues}
            />
          )}
        </div>
        {save.error !== null && <ErrorNote error={save.error} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={save.isPending}>
            Save the signature
          </Button>
          {webhook.signature !== undefined && (
            <Button
              kind="danger"
              disabled={save.isPending}
              onClick={() => {
                setValues({});
                save.mutate(null);
              }}
            >
              Remove it
            </Button>
          )}
        </div>
      </form>
      <NewSecret
        scheme={String(values['scheme'] ?? '')}
        onMade={(name) =>
          setValues((before) => ({ ...before, secrets: [name, ...((before['secrets'] ?? []) as string[])] }))
        }
      />
      {webhook.signature !== undefined && <SignedTest flow={flow.id} />}
    </Card>
  );
}

/** The change from one rule to the other: members that the new one lacks are null. */
const changesOf = (before: object | undefined, after: Values): Values => ({
  ...Object.fromEntries(Object.keys(before ?? {}).map((name) => [name, null])),
  ...after,
});

interface NewSecretProps {
  readonly scheme: string;
  readonly onMade: (variable: string) => void;
}

/** Makes a secret and stores it as a variable; the sender gets it from here, once. */
function NewSecret({ scheme, onMade }: NewSecretProps) {
  const client = useQueryClient();
  const variables = useVariables();
  const [name, setName] = useState('WEBHOOK_SECRET');
  const make = useMutation({
    mutationFn: async () => {
      const value = newSecret(scheme);
      const known = variables.data?.find((each) => each.name === name);
      if (known !== undefined) throw new Error(`The variable ${name} exists. Choose another name.`);
      await call('/api/v1/variables/', {
        method: 'POST',
        body: { name, value, type: 'Credential', default_fields: [] },
      });
      return value;
    },
    onSuccess: () => {
      onMade(name);
      return client.invalidateQueries({ queryKey: ['variables'] });
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        make.mutate();
      }}
    >
      <div className="field">
        <label htmlFor="secret-name">Variable for a new secret</label>
        <span className="row">
          <input
            id="secret-name"
            className="input mono"
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" disabled={make.isPending}>
            New secret
          </Button>
        </span>
        <span className="hint">
          A secret that the sender gave you is stored under <Link href="/access/variables">Variables</Link>.
        </span>
      </div>
      {make.error !== null && <ErrorNote error={make.error} />}
      {make.data !== undefined && (
        <Note tone="warn" title="Give this to the sender now: it is not shown again. Then save the signature">
          <Paste text={make.data} label="The new secret" />
        </Note>
      )}
    </form>
  );
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
