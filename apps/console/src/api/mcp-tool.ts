import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from './client';

/** Makes flows tools of MCP clients, or ends that. */
export function useMcpSwitch(onError: (error: Error) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, isTool }: { readonly id: string; readonly isTool: boolean }) =>
      call(`/api/v1/flows/${id}`, { method: 'PATCH', body: { mcp_enabled: isTool } }),
    onSuccess: (_, { id }) =>
      Promise.all([['flows'], ['flow', id]].map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError,
  });
}
