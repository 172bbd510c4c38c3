import { componentTools, isToolHandle } from '@millrace/flow';
import type { Component, ComponentContext, ToolHandle } from '@millrace/flow';
import type { PythonValue } from '@millrace/python-text';

/**
 * Returns the tools of an agent: the connected tools, and the built-in ones whose names are not taken. Names are
 * unique, so that a model can distinguish the tools.
 */
export function agentTools(
  wired: readonly PythonValue[],
  builtIn: readonly Component[],
  context: ComponentContext,
): readonly ToolHandle[] {
  const tools = withUniqueNames(wired.filter((value) => isToolHandle(value)));
  const names = new Set(tools.map(({ name }) => name));
  const unused = builtIn
    .flatMap((component) => builtInTools(component, context))
    .filter(({ name }) => !names.has(name));
  return [...tools, ...unused];
}

function builtInTools(component: Component, context: ComponentContext): readonly ToolHandle[] {
  const inputs = Object.fromEntries(
    Object.entries(component.inputs).map(([name, input]) => [name, input.default]),
  );
  return componentTools(component, { inputs, connected: new Set(), table: null, context });
}

function withUniqueNames(tools: readonly ToolHandle[]): readonly ToolHandle[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let { name } = tool;
    for (let count = 2; taken.has(name); count += 1) name = `${tool.name.slice(0, 60)}_${count}`;
    taken.add(name);
    return name === tool.name ? tool : { ...tool, name };
  });
}
