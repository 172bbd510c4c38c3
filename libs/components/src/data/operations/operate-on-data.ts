import { ComponentError } from '@millrace/flow';
import { Data } from '@millrace/python-text';
import type { DataOperationSettings } from './data-operation-inputs';
import { dataOperations } from './data-operations-by-name';

/** Operations of earlier Langflow versions that the current one rejects. */
const removedOperations = new Set(['Filter Values', 'Sort']);

/**
 * Applies the chosen operation. Returns empty data when there is no operation, more than one, or no data. Throws a
 * ComponentError for several items if the operation accepts only one.
 */
export function operateOnData(chosen: readonly string[], settings: DataOperationSettings): Data {
  const [name] = chosen;
  if (name === undefined || chosen.length !== 1) return new Data({});
  if (removedOperations.has(name)) {
    throw new ComponentError(
      `The '${name}' operation is no longer supported by the JSON Operations component. ` +
        'Update this flow to use the Operations component.',
    );
  }
  const run = Object.hasOwn(dataOperations, name) ? dataOperations[name] : undefined;
  if (run === undefined) throw new ComponentError(`Unsupported operation: ${name}`);
  const items = settings.data.map((item) => item.data);
  if (items.length > 1 && name !== 'Combine') {
    throw new ComponentError(`${name} operation is not supported for multiple data objects.`);
  }
  return items.length === 0 ? new Data({}) : new Data(run(items, settings));
}
