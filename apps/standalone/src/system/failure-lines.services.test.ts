import { describeFailureLines } from './describe-failure-lines';
import { startTestSystem } from './test-system';

describeFailureLines('scaled', () =>
  startTestSystem({ pools: { default: 2 }, environment: { MILLRACE_RUN_DEADLINE_SECONDS: '5' } }),
);
