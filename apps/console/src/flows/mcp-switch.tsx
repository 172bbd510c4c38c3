import { useMcpSwitch } from '../api/mcp-tool';
import { useMay } from '../api/session';
import type { FlowSummary } from '../api/answers';
import { Button } from '../ui/parts';
import { toast } from '../ui/toast';

/** A button that makes the flow a tool of MCP clients, or ends that. */
export function McpSwitch({ flow }: { readonly flow: FlowSummary }) {
  const { id, mcp_enabled: isTool = false } = flow;
  const change = useMcpSwitch((error) => toast(error.message));
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
