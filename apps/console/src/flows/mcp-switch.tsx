import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client';
import { useMay } from '../api/session';
import type { FlowSummary } from '../api/answers';
import { Button } from '../ui/parts';
import { toast } from '../ui/toast';

/** Makes flows tools of MCP clients, or ends that. */
export function useMcpSwitch() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isTool }: { readonly id: string; readonly isTool: boolean }) =>
      call(`/api/v1/flows/${id}`, { method: 'PATCH', body: { mcp_enabled: isTool } }),
    onSuccess: (_, { id }) =>
      Promise.all([['flows'], ['flow', id]].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError: (error) => toast(error.message),
  });
}

export function McpSwitch({ flow }: { readonly flow: FlowSummary }) {
  const { id, mcp_enabled: isTool = false } = flow;
  const change = useMcpSwitch();
  if (!useMay('manage')) return null;
  return (
    <Button
      size="small"
      className="start"
      disabled={change.isPending}
      onClick={() => change.mutate({ id, isTool: !isTool })}
    >
      {isTool ? 'Remove the tool' : 'Make it a tool'}
    </Button>
  );
}
