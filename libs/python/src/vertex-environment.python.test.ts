import { component, one, saved, show, valueInput } from './testing/author-component.fixture';
import { give, runPythonFlow } from './testing/python-flow.fixture';
import type { FlowRun, FlowRunOptions, TestVertex } from './testing/python-flow.fixture';
import { realPool } from './testing/real-pool.fixture';

const pool = realPool();

/** What components of lfx and of authors read from their vertex and its graph. */
const read = `
self.user_id
self.flow_id
self.flow_name
self.graph.flow_id
self.graph.user_id
self.graph.session_id
self.graph.run_id
self.graph.flow_name
self.graph.context
self.graph.description
self.graph.end_user_id
self.graph.execution_principal
self.graph.persist_messages
self.graph.source_flow_id
self.graph.state
self.graph.updated_at
self.graph.tracing_service
self.graph.vertices
self.graph.vertex_map[self._id]
self.graph.edges
self.graph.successor_map
self.graph.predecessor_map
self.graph.parent_child_map
self.graph.in_degree_map
self.graph.is_cyclic
self.graph.inactivated_vertices
self.graph.activated_vertices
self.graph.conditional_exclusion_sources
self.graph.conditionally_excluded_vertices
self.graph.top_level_vertices
self.graph.has_session_id_vertices
self.graph.metadata
self.graph.get_vertex(self._id)
self.graph.get_vertex("other", silent=True)
self.graph.get_vertex_ids()
self.graph.get_vertex_neighbors(self._vertex)
self.graph.get_vertex_edges(self._id)
self.graph.get_successors(self._vertex)
self.graph.get_predecessors(self._vertex)
self.graph.mark_branch(self._id, "ACTIVE", "result")
self.graph.mark_branch(vertex_id=self._id, output_name="result", state="ACTIVE")
self.graph.set_run_id("x")
self.vertex
self.get_vertex()
self._vertex.id
self._vertex.graph
self._vertex.base_name
self._vertex.base_type
self._vertex.vertex_type
self._vertex.display_name
self._vertex.description
self._vertex.icon
self._vertex.data["node"]["template"]["text"]["value"]
self._vertex.full_data
self._vertex.template
self._vertex.params["text"]
self._vertex.raw_params["text"]
self._vertex.get_value_from_template_dict("text")
self._vertex.outputs
self._vertex.output_names
self._vertex.edges
self._vertex.incoming_edges[0].source_id
self._vertex.incoming_edges[0].target_param
self._vertex.incoming_edges[0].target_handle.field_name
self._vertex.outgoing_edges[0].source_handle.name
self._vertex.edges_source_names
self._vertex.successors
self._vertex.predecessors[0].custom_component.display_name
self._vertex.predecessors[0].custom_component.get_id()
self._vertex.is_input
self._vertex.is_output
self._vertex.is_state
self._vertex.is_active()
self._vertex.frozen
self._vertex.built
self._vertex.results
self._vertex.artifacts
self._vertex.layer
self._vertex.has_session_id
self._vertex.custom_component is self
self._vertex.get_incoming_edge_by_target_param("value")
self.ctx
self.add_to_ctx("a", {"b": 1})
self.ctx.a.b
self.update_ctx({"a": {"b": 2}})
self.graph.context.get("a")
self.trace_name
self.trace_type
self.tracing_service
self.get_project_name()
self.get_langchain_callbacks()
self.get_results()
self.get_artifacts()
self.get_input("text")
self.get_output("result")
self.get_output_display_name("result")
self.set_attributes({"text": "again"})
self.set(text="third")
self.set_input_value("text", "fourth")
self.custom_repr()
self.to_frontend_node()
self.is_connected_to_chat_output()
self.is_connected_to_chat_input()
self.to_data(["a"])
self.extract_data("a")
self.index(0)(["a"])
self.list_flows()
self.get_trace_as_inputs()
self.get_trace_as_metadata()
self.update_build_config({"text": {}}, 1, "text")
self.log("a line")
self.stop("result")
self.start("result")
self.variables("KEY", "text")
await self.alist_flows()
await self.list_key_names()
await self.get_variable("KEY", "text", None)
await self.get_variables("KEY", "text")
await self.to_toolkit()
await self.send_message(Message(text="sent"))
`
  .trim()
  .split('\n');

const given = [give('Given', 'from an edge')];
const withSource = (code: string, more: Partial<TestVertex> = {}): readonly TestVertex[] => [
  { id: 'Given-1' },
  {
    id: 'Mine-1',
    code,
    outputs: saved,
    from: { value: 'Given-1.value' },
    fields: { text: 'typed' },
    ...more,
  },
  show('Mine-1.result'),
];
const run = (vertices: readonly TestVertex[], options: FlowRunOptions = {}): Promise<FlowRun> =>
  runPythonFlow(pool(), vertices, { components: given, variables: { KEY: 'secret' }, ...options });
const inputs = `${valueInput}, MessageTextInput(name="text", tool_mode=True)`;

test('a component reads what is around it', async () => {
  const tries = read.map(
    (expression) =>
      `    try:\n        ${expression}\n    except Exception as error:\n        failed.append([${JSON.stringify(expression)}, repr(error)])`,
  );
  const body = `async def run_it(self):\n    failed = []\n${tries.join('\n')}\n    return failed`;
  const { shown } = await run(withSource(component(inputs, one, body)));
  expect(shown.get('Show-1')).toEqual([]);
});

test('the values are those of the run', async () => {
  const body = `def run_it(self):
    return [
        self.user_id, self.flow_id, self.graph.session_id, self.text, self.value,
        self._vertex.id, self._vertex.predecessors[0].id, self._vertex.predecessors[0].base_name,
        self._vertex.get_incoming_edge_by_target_param("value"), self.graph.in_degree_map[self._id],
    ]`;
  const { shown } = await run(withSource(component(inputs, one, body)));
  expect(shown.get('Show-1')).toEqual([
    'owner-1',
    'flow-1',
    'session-1',
    'typed',
    'from an edge',
    'Mine-1',
    'Given-1',
    'Given',
    'Given-1',
    1,
  ]);
});

test('a component that stops each of its branches stops them without names', async () => {
  const body = 'def run_it(self):\n    self.graph.mark_branch(self._id, "INACTIVE")\n    return 1';
  const { shown } = await run(withSource(component(inputs, one, body)));
  expect([...shown.keys()]).toEqual([]);
});

test.each([
  ['self.graph.mark_branch("Other-1", "INACTIVE")', 'only branches that begin at its own outputs'],
  ['self.graph.get_vertex("Other-1")', 'Vertex Other-1 is not connected'],
  ['self.graph.request_pause(reason="x", data={})', 'cannot pause'],
  ['self.graph.activate_state_vertices(name="x", caller=self._id)', 'Listen components'],
  ['self.graph.unknown_member', "'Graph' object has no attribute 'unknown_member'"],
])('%s has a clear error', async (expression, text) => {
  const code = component(inputs, one, `def run_it(self):\n    return ${expression}`);
  await expect(run(withSource(code))).rejects.toThrow(text);
});

test('a component that is connected to a chat output knows it', async () => {
  const code = component(
    '',
    one,
    'def run_it(self):\n    return Message(text=str([self.is_connected_to_chat_output(), self.is_connected_to_chat_input()]))',
  );
  const { response } = await runPythonFlow(pool(), [
    { id: 'Mine-1', code, outputs: saved },
    { id: 'ChatOutput-1', from: { input_value: 'Mine-1.result' } },
  ]);
  expect(JSON.stringify(response)).toContain('[True, False]');
});
