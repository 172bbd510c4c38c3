/**
 * Stock classes of lfx and of its bundles that execute what an admin never sees: Python from a field or from a model, the
 * texts of another flow's nodes, a command, or a pickled file. The name of the class decides, because releases move the
 * modules.
 */
const codeClasses: ReadonlySet<string> = new Set([
  // Python from a field, or from the caller of a tool.
  'PythonCodeStructuredTool',
  'PythonFunctionComponent',
  'PythonREPLComponent',
  'PythonREPLToolComponent',
  // Python that a model writes.
  'CodeActAgentSmolagentsComponent',
  'CSVAgentComponent',
  'CrewAIAgentComponent',
  'CugaComponent',
  'LambdaFilterComponent',
  'OpenDsStarAgentComponent',
  'SequentialTaskAgentComponent',
  // The texts of the nodes of a stored flow.
  'FlowToolComponent',
  'RunFlowComponent',
  'SubFlowComponent',
  // The command of a server.
  'MCPStdio',
  'MCPToolsComponent',
  // Pickled files.
  'FaissVectorStoreComponent',
]);

/** Returns whether a class such as `lfx.components.tools.python_repl.PythonREPLToolComponent` executes such code. */
export function executesCode(module: string): boolean {
  return codeClasses.has(module.slice(module.lastIndexOf('.') + 1));
}
