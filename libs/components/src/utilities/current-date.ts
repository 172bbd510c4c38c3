import { defineComponent, dropdown } from '@millrace/flow';
import { Message, repr } from '@millrace/python-text';
import { zonedTime } from './zoned-time';

export default defineComponent({
  type: 'CurrentDate',
  displayName: 'Current Date',
  description: 'Returns the current date and time in a time zone.',
  inputs: {
    timezone: dropdown({
      displayName: 'Timezone',
      options: [
        'UTC',
        'Europe/London',
        'Europe/Berlin',
        'America/New_York',
        'America/Los_Angeles',
        'Asia/Tokyo',
      ],
      default: 'UTC',
      opensOptions: true,
      tool: true,
    }),
  },
  outputs: { current_date: { types: ['Message'], displayName: 'Current Date', method: 'get_current_date' } },
  deterministic: false,
  run: ({ timezone }, context) => {
    const time = zonedTime(new Date(), timezone);
    const result =
      time === null
        ? `Error: ${repr(`No time zone found with key ${timezone}`)}`
        : `Current date and time in ${timezone}: ${time}`;
    context.status(result);
    return { current_date: new Message({ text: result }) };
  },
});
