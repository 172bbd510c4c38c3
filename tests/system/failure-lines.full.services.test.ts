import { describeFailureLines } from './describe-failure-lines';
import { startTestSystem } from './test-system';

const services = { run: ['gateway', 'executor'], webhook: ['gateway', 'ingest', 'executor'] };
describeFailureLines('scaled', services, () => startTestSystem({ pools: { default: 2 } }));
