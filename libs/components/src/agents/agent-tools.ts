import { componentTools, isToolHandle } from '@millrace/flow';
import type { Component, ComponentContext, PythonValue, ToolHandle } from '@millrace/flow';

/**
 * What an agent may call: the wired tools, and those of its own components that no wired one stands in for. No two have
 * the same name: a model must be able to tell them apart.
 */
export function agentTools(
  wired: readonly PythonValue[],
  own: readonly Component[],
  context: ComponentContext,
): readonly ToolHandle[] {
  const tools = named(wired.filter((value) => isToolHandle(value)));
  const names = new Set(tools.map(({ name }) => name));
  const further = own
    .flatMap((component) => ownTools(component, context))
    .filter(({ name }) => !names.has(name));
  return [...tools, ...further];
}

function ownTools(component: Component, context: ComponentContext): readonly ToolHandle[] {
  const inputs = Object.fromEntries(
    Object.entries(component.inputs).map(([name, input]) => [name, input.default]),
  );
  return componentTools(component, { inputs, wired: new Set(), table: null, context });
}

function named(tools: readonly ToolHandle[]): readonly ToolHandle[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let { name } = tool;
    for (let count = 2; taken.has(name); count += 1) name = `${tool.name.slice(0, 60)}_${count}`;
    taken.add(name);
    return name === tool.name ? tool : { ...tool, name };
  });
}
