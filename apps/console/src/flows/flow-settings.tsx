import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FormEvent } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow } from '../api/answers';
import { Busy, Button, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';
import { SettingsForm } from './settings-form';
import type { Values } from './settings-form';
import { useSettingsSchema } from './settings-schema';
import { useVariableOptions } from './variable-options';

/** The settings of a flow as a form or as JSON. They have no versions. */
export function FlowSettings({ flow }: { readonly flow: Flow }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const schema = useSettingsSchema();
  const [isJson, setJson] = useState(false);
  const [values, setValues] = useState<Values>(() => ({
    ...flow.settings,
    // The API takes names, too.
    ...(flow.answered_by && { answeredBy: flow.answered_by }),
  }));
  const [text, setText] = useState('');
  const save = useMutation({
    mutationFn: (settings: () => unknown) =>
      call(`/api/v1/flows/${flow.id}`, {
        // The settings are whole: a member that they lack is removed.
        method: 'PUT',
        body: { name: flow.name, settings: settings() },
      }),
    onSuccess: () => {
      toast('The settings apply from the next run on');
      return client.invalidateQueries({ queryKey: ['flow', flow.id] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(() => (isJson ? (JSON.parse(text) as unknown) : values));
  };
  const show = (next: boolean) => {
    if (next) setText(JSON.stringify(values, null, 2));
    else
      try {
        const read: unknown = JSON.parse(text);
        if (typeof read !== 'object' || read === null || Array.isArray(read))
          return toast('Settings are a JSON object');
        setValues(read as Values);
      } catch {
        return toast('The text is no JSON');
      }
    setJson(next);
  };
  const options = useVariableOptions();
  return (
    <form className="stack" onSubmit={submit}>
      <div className="chips" role="group" aria-label="View">
        {[false, true].map((each) => (
          <button
            key={String(each)}
            type="button"
            className="chip"
            aria-pressed={isJson === each}
            onClick={() => each !== isJson && show(each)}
          >
            {each ? 'JSON' : 'Form'}
          </button>
        ))}
      </div>
      <fieldset className="plain stack" disabled={!canManage}>
        {isJson ? (
          <div className="field">
            <label htmlFor="flow-settings">JSON</label>
            <textarea
              id="flow-settings"
              className="input mono"
              rows={16}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        ) : schema.data === undefined ? (
          schema.error === null ? (
            <Busy />
          ) : (
            <ErrorNote error={schema.error} retry={() => void schema.refetch()} />
          )
        ) : (
          <div className="settings-fields">
            <SettingsForm members={schema.data} values={values} options={options} onChange={setValues} />
          </div>
        )}
      </fieldset>
      {save.error !== null && <ErrorNote error={save.error} />}
      {canManage && (
        <div className="row">
          <Button kind="primary" type="submit" disabled={save.isPending}>
            Save
          </Button>
        </div>
      )}
    </form>
  );
}
