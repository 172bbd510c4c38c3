import type { ComponentContext } from '@millrace/flow';
import { boolean, defineComponent, dropdown, integer, message, text } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { compareTexts, textOperators } from './compare-texts';

type Route = 'true_result' | 'false_result';

export default defineComponent({
  type: 'ConditionalRouter',
  displayName: 'If-Else',
  description: 'Takes one of two routes, depending on a comparison of two texts.',
  inputs: {
    input_text: text({ displayName: 'Text Input', required: true }),
    operator: dropdown({ displayName: 'Operator', options: textOperators, default: 'equals' }),
    match_text: text({ displayName: 'Match Text', required: true }),
    case_sensitive: boolean({ displayName: 'Case Sensitive', default: true, advanced: true }),
    true_case_message: message({ displayName: 'Case True', advanced: true }),
    false_case_message: message({ displayName: 'Case False', advanced: true }),
    max_iterations: integer({ displayName: 'Max Iterations', default: 10, advanced: true }),
    default_route: dropdown({
      displayName: 'Default Route',
      options: ['true_result', 'false_result'],
      default: 'false_result',
      advanced: true,
    }),
  },
  outputs: {
    true_result: { types: ['Message'], displayName: 'True' },
    false_result: { types: ['Message'], displayName: 'False' },
  },
  deterministic: true,
  excludesBranches: true,
  routes: true,
  run: (inputs, context) => {
    const { input_text, match_text, case_sensitive } = inputs;
    const isTrue = compareTexts(inputs.operator, [input_text, match_text], { caseSensitive: case_sensitive });
    const route = isTrue ? 'true_result' : 'false_result';
    const outgoing = firstWithContent(
      isTrue
        ? [inputs.true_case_message, oldMessage(context, 'true_text')]
        : [inputs.false_case_message, oldMessage(context, 'false_text')],
      [oldMessage(context, 'message'), new Message({ text: input_text })],
    );
    context.status(outgoing);
    const mustEnd = context.execution >= inputs.max_iterations && route !== inputs.default_route;
    // At the limit of iterations the run takes the default route with an empty message.
    context.stop(mustEnd ? route : otherThan(route));
    return { [route]: outgoing, [otherThan(route)]: new Message({ text: '' }) };
  },
});

function otherThan(route: Route): Route {
  return route === 'true_result' ? 'false_result' : 'true_result';
}

/** Returns the message to pass on from the field that older nodes use. */
function oldMessage({ fields }: ComponentContext, name: string): Message | null {
  const value = fields[name];
  if (value instanceof Message) return value;
  return typeof value === 'string' ? new Message({ text: value }) : null;
}

function firstWithContent(own: readonly (Message | null)[], others: readonly (Message | null)[]): Message {
  return [...own, ...others].find((candidate) => candidate !== null && hasContent(candidate)) ?? emptyMessage;
}

const emptyMessage = new Message({ text: '' });

function hasContent({ fields }: Message): boolean {
  return fields.text !== '' || fields.files.length > 0 || fields.contentBlocks.length > 0;
}
