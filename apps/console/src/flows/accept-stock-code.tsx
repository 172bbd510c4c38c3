import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { FlowReport } from '../api/answers';
import { plural } from '../ui/format';
import { Button, ErrorNote } from '../ui/parts';
import { toast } from '../ui/toast';

const REFUSED = new Set(['refused', 'needs_approval', 'needs_python']);

/** A button that lets the stock components run in place of edited code that cannot run here; nothing where there is none. */
export function AcceptStockCode({ flow, report }: { readonly flow: string; readonly report: FlowReport }) {
  const client = useQueryClient();
  const canManage = useMay('manage');
  const vertices = report.vertices.filter(({ acceptable, status }) => acceptable && REFUSED.has(status));
  const accept = useMutation({
    mutationFn: () =>
      call(`/api/v1/flows/${flow}/accepted-code`, {
        method: 'POST',
        body: { vertices: vertices.map(({ id }) => id) },
      }),
    onSuccess: () => {
      toast('Stock components run in place of the edited code, in a new version');
      return client.invalidateQueries({ queryKey: ['flow', flow] });
    },
  });
  if (!canManage || vertices.length === 0) return null;
  return (
    <>
      <Button className="start" disabled={accept.isPending} onClick={() => accept.mutate()}>
        Run stock code in {plural(vertices.length, 'vertex', 'vertices')}
      </Button>
      {accept.error !== null && <ErrorNote error={accept.error} />}
    </>
  );
}
