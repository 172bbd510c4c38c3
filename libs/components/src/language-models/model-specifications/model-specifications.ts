import { ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../../integrations/http/call-service';
import { member, objectsMember, textMember } from '../../integrations/http/json-members';

const address = 'https://openrouter.ai/api/v1/models';
const maximumDescription = 500;
const UNKNOWN = 'Specifications not available.';
const UNLISTED = 'Full specifications not found in cache.';

/** What is known of models by their names. */
export interface ModelSpecifications {
  readonly isEmpty: boolean;
  /** Whether the list has the model. */
  has(model: string): boolean;
  /** Returns the specification of a model: its id and name alone when nothing else is known. */
  of(model: string): PythonObject;
}

/**
 * Reads the public list of OpenRouter. Without a time limit nothing is called. A list that cannot be read is an empty
 * one, because a choice is possible without it.
 */
export async function readModelSpecifications(
  timeoutMilliseconds: number | null,
  context: ComponentContext,
): Promise<ModelSpecifications> {
  if (timeoutMilliseconds !== null)
    context.log(`Fetching all model specifications from OpenRouter API: ${address}`);
  const listed = timeoutMilliseconds === null ? [] : await readList(timeoutMilliseconds, context);
  const byName = new Map<string, PythonObject>();
  for (const entry of listed) {
    const id = textMember(entry, 'id');
    for (const name of [id, textMember(entry, 'name'), id.slice(id.indexOf('/') + 1)]) {
      if (name !== '' && !byName.has(plainName(name))) byName.set(plainName(name), entry);
    }
  }
  return {
    isEmpty: byName.size === 0,
    has: (model) => byName.has(plainName(model)),
    of: (model) => {
      const entry = byName.get(plainName(model));
      return entry === undefined
        ? { id: model, name: model, description: byName.size === 0 ? UNKNOWN : UNLISTED }
        : specificationOf(entry);
    },
  };
}

async function readList(
  timeoutMilliseconds: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  try {
    const call = { service: 'OpenRouter', url: address, timeoutMilliseconds, maximumRetries: 0 };
    const found = objectsMember(await callJson(call, context), 'data');
    context.log(`Successfully fetched and cached ${found.length} model specifications from OpenRouter.`);
    return found;
  } catch (error) {
    if (!(error instanceof ComponentError)) throw error;
    context.log(`AIOHTTP ClientError fetching OpenRouter models: ${error.message}`, { name: 'error' });
    return [];
  }
}

/** Returns the name of a model in letters and digits alone, by which it is looked up. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function specificationOf(entry: PythonObject): PythonObject {
  const description = textMember(entry, 'description') || 'No description available';
  const specification: PythonObject = {
    id: member(entry, 'id'),
    name: member(entry, 'name'),
    description:
      description.length > maximumDescription
        ? `${description.slice(0, maximumDescription - 3)}...`
        : description,
    context_length: member(entry, 'top_provider', 'context_length') ?? member(entry, 'context_length'),
    max_completion_tokens: member(entry, 'top_provider', 'max_completion_tokens'),
    tokenizer: member(entry, 'architecture', 'tokenizer'),
    input_modalities: member(entry, 'architecture', 'input_modalities'),
    output_modalities: member(entry, 'architecture', 'output_modalities'),
    pricing_prompt: member(entry, 'pricing', 'prompt'),
    pricing_completion: member(entry, 'pricing', 'completion'),
    supported_parameters: member(entry, 'supported_parameters'),
  };
  return Object.fromEntries(
    Object.entries(specification).filter(([, value]: readonly [string, PythonValue]) => value !== null),
  );
}
