import { Link } from 'wouter';
import { useFlows, useProjectNames } from '../api/queries';
import { useMay } from '../api/session';
import type { FlowSummary } from '../api/answers';
import { useMcpSwitch } from '../api/mcp-tool';
import { McpSwitch } from '../flows/mcp-switch';
import { useTitle } from '../shell/title';
import { DataTable } from '../ui/data-table';
import { Busy, Card, Empty, ErrorNote, PageHead, Paste } from '../ui/parts';
import { toast } from '../ui/toast';

/** The addresses at which MCP clients find flows as tools: one for each project, and one for all flows. */
export function McpPage() {
  useTitle('MCP servers');
  const flows = useFlows();
  const names = useProjectNames();
  return (
    <div className="page">
      <PageHead
        title="MCP servers"
        about="Assistants, editors and agents find flows as tools at these addresses."
      >
        <NewTool flows={flows.data ?? []} />
      </PageHead>
      {flows.isPending && <Busy />}
      {flows.error !== null && <ErrorNote error={flows.error} retry={() => void flows.refetch()} />}
      {flows.data !== undefined && (
        <>
          <Server title="All flows" path="/api/v1/mcp/streamable" flows={flows.data} />
          {projectsOf(flows.data).map(([id, ofProject]) => (
            <Server
              key={id}
              title={names.get(id) ?? `Project ${id}`}
              path={`/api/v1/mcp/project/${encodeURIComponent(id)}/streamable`}
              flows={ofProject}
            />
          ))}
        </>
      )}
    </div>
  );
}

interface ServerProps {
  readonly title: string;
  readonly path: string;
  readonly flows: readonly FlowSummary[];
}

function Server({ title, path, flows }: ServerProps) {
  const url = location.origin + path;
  const tools = flows.filter(({ mcp_enabled: isTool }) => isTool);
  const configuration = { mcpServers: { millrace: { url, headers: { 'x-api-key': 'sk-…' } } } };
  return (
    <Card title={title} flush>
      <div className="body">
        <Paste text={JSON.stringify(configuration, null, 2)} label={`Configuration of a client: ${title}`} />
      </div>
      <DataTable
        isFlush
        rows={tools}
        rowKey={({ id }) => id}
        empty={<Empty title={`No tools: ${title}`}>None of these flows is enabled for MCP clients.</Empty>}
        columns={[
          { title: 'Tool', cell: (flow) => <span className="mono">{toolName(flow)}</span> },
          {
            title: 'Flow',
            cell: ({ id, name }) => (
              <Link href={`/flows/${id}?tab=api`} dir="auto">
                {name}
              </Link>
            ),
          },
          {
            title: '',
            cell: (flow) => (
              <span className="row end">
                <McpSwitch flow={flow} />
              </span>
            ),
          },
        ]}
      />
    </Card>
  );
}

/** A flow that is chosen becomes a tool. */
function NewTool({ flows }: { readonly flows: readonly FlowSummary[] }) {
  const change = useMcpSwitch((error) => toast(error.message));
  const others = flows.filter(
    ({ mcp_enabled: isTool, is_component: isComponent }) => !isTool && !isComponent,
  );
  if (!useMay('manage') || others.length === 0) return null;
  return (
    <select
      className="input narrow"
      aria-label="Make a flow a tool"
      value=""
      disabled={change.isPending}
      onChange={(event) => change.mutate({ id: event.target.value, isTool: true })}
    >
      <option value="" disabled>
        Make a flow a tool
      </option>
      {others.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The name as the server makes it. Of several flows with one name, those after the first get a number there. */
function toolName({ action_name: action, name }: FlowSummary): string {
  const own = (action || name)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return own.slice(0, 64) || 'flow';
}

/** The flows of each project that has tools; a flow without a project is found at the address of all flows. */
function projectsOf(flows: readonly FlowSummary[]): readonly (readonly [id: string, flows: FlowSummary[]])[] {
  const projects = new Map<string, FlowSummary[]>();
  for (const flow of flows)
    if (flow.folder_id) projects.set(flow.folder_id, [...(projects.get(flow.folder_id) ?? []), flow]);
  return [...projects];
}
