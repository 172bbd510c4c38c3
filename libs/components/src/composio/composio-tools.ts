import { argumentsDigest, jsonValue } from '@millrace/flow';
import type { ComponentContext, ToolHandle } from '@millrace/flow';
import { executeComposioAction } from './composio-client';
import type { ComposioAccess, ComposioAction } from './composio-client';

/** Actions as tools of a language model, in the order in which they were chosen. */
export function composioTools(
  actions: readonly ComposioAction[],
  access: ComposioAccess,
  context: ComponentContext,
): readonly ToolHandle[] {
  return actions.map(({ slug, description, parameters }) => ({
    kind: 'tool',
    name: slug.replace(/[^\w-]/g, '-').slice(0, 64),
    description,
    parameters: { type: 'object', properties: {}, ...(jsonValue(parameters) as object) },
    call: async (given) =>
      context.effect(`${slug} ${argumentsDigest(given)}`, async () =>
        JSON.stringify(jsonValue(await executeComposioAction(access, slug, given, context))),
      ),
  }));
}

/** The actions with these names, in their order. */
export function chosenActions(
  actions: readonly ComposioAction[],
  names: readonly string[],
): readonly ComposioAction[] {
  return names.flatMap((name) => actions.find((action) => isNamed(action, name)) ?? []);
}

/** Files name an action by its slug or by what people see of it. */
export function isNamed({ slug, name }: ComposioAction, wanted: string): boolean {
  const letters = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  return letters(slug) === letters(wanted) || letters(name) === letters(wanted);
}
