import type { FlowSettings } from '@millrace/flow';
import type { Location } from '../../http/validation/validation-item';
import { invalidRequest } from '../../http/validation/validator';

/**
 * Throws invalid_request with an item for each new callback whose address no request can be sent to, such as one with a port
 * beyond the range.
 */
export function refuseCallbackAddresses(
  { callbacks = [] }: FlowSettings,
  { callbacks: before = [] }: FlowSettings,
  base: Location,
): void {
  const known = new Set(before.map(({ url }) => url));
  const items = callbacks.flatMap(({ url }, index) => {
    if (url === undefined || known.has(url) || URL.canParse(url)) return [];
    const loc = [...base, 'callbacks', index, 'url'];
    return [{ type: 'value_error', loc, msg: 'Input should be a valid http or https URL', input: url }];
  });
  if (items.length > 0) throw invalidRequest(items);
}
