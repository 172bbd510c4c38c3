import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { Flow } from '../api/answers';
import { Button, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';

/** The settings of a flow as JSON: they have no versions. */
export function FlowSettings({ flow }: { readonly flow: Flow }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const [text, setText] = useState(() => JSON.stringify(flow.settings, null, 2));
  const save = useMutation({
    mutationFn: () =>
      call(`/api/v1/flows/${flow.id}`, {
        // The text is the whole document: a member that it lacks is removed.
        method: 'PUT',
        body: { name: flow.name, settings: JSON.parse(text) as unknown },
      }),
    onSuccess: () => {
      toast('The settings apply from the next run on');
      return client.invalidateQueries({ queryKey: ['flow', flow.id] });
    },
  });
  return (
    <div className="stack">
      <div className="field">
        <label htmlFor="flow-settings">JSON</label>
        <textarea
          id="flow-settings"
          className="input mono"
          rows={12}
          spellCheck={false}
          readOnly={!canManage}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <span className="hint">
          Such as pool, concurrency, deadlineSeconds, retry, webhook, cache and records.
        </span>
      </div>
      {save.error !== null && <ErrorNote error={save.error} />}
      {canManage && (
        <div className="row">
          <Button kind="primary" disabled={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </div>
      )}
    </div>
  );
}
