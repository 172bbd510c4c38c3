import { describeVertexRecords } from './describe-vertex-records';
import { startTestSystem } from './test-system';

describeVertexRecords('scaled', () => startTestSystem());
