import { describeEffects } from './effects/effects.contract';
import { describeFiles } from './files/files.contract';
import { describeFlows } from './flows/flows.contract';
import { describeMcpServers } from './mcp-servers/mcp-servers.contract';
import { describeMessages } from './messages/messages.contract';
import { describeDeadLetters } from './runs/dead-letters.contract';
import { describeEndedRuns } from './runs/ended-runs.contract';
import { describeInteractiveRuns } from './runs/interactive-runs.contract';
import { describePrunedRecords } from './runs/pruned-records.contract';
import { describeRunAcceptance } from './runs/run-acceptance.contract';
import { describeRunClaims } from './runs/run-claims.contract';
import { describeRunSweep } from './runs/run-sweep.contract';
import { describeRunBacklog } from './runs/run-backlog.contract';
import { describeSealedRequests } from './runs/sealed-requests.contract';
import { openOnServer } from './testing/open-test-database';
import type { TestDatabase } from './testing/open-test-database';
import { describeUsers } from './users/users.contract';
import { describeEncryptionKey } from './variables/encryption-key.contract';
import { describeVariables } from './variables/variables.contract';
import { describeVectors } from './vectors/vectors.contract';

let opened: TestDatabase;
const open = () => opened;

beforeAll(async () => {
  opened = await openOnServer();
}, 60_000);
afterAll(() => opened.close());

describeUsers('PostgreSQL', open);
describeFlows('PostgreSQL', open);
describeFiles('PostgreSQL', open);
describeVariables('PostgreSQL', open);
describeEncryptionKey('PostgreSQL', open);
describeMcpServers('PostgreSQL', open);
describeVectors('PostgreSQL', open);
describeMessages('PostgreSQL', open);
describeRunAcceptance('PostgreSQL', open);
describeRunClaims('PostgreSQL', open);
describeInteractiveRuns('PostgreSQL', open);
describeRunSweep('PostgreSQL', open);
describeEffects('PostgreSQL', open);
describeEndedRuns('PostgreSQL', open);
describeRunBacklog('PostgreSQL', open);
describeSealedRequests('PostgreSQL', open);
describeDeadLetters('PostgreSQL', open);
describePrunedRecords('PostgreSQL', open);
