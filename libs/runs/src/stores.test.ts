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
import { openEmbedded } from './testing/open-test-database';
import type { TestDatabase } from './testing/open-test-database';
import { describeUsers } from './users/users.contract';
import { describeEncryptionKey } from './variables/encryption-key.contract';
import { describeVariables } from './variables/variables.contract';
import { describeVectors } from './vectors/vectors.contract';

let opened: TestDatabase;
const open = () => opened;

beforeAll(async () => {
  opened = await openEmbedded();
}, 60_000);
afterAll(() => opened.close());

describeUsers('embedded', open);
describeFlows('embedded', open);
describeFiles('embedded', open);
describeVariables('embedded', open);
describeEncryptionKey('embedded', open);
describeMcpServers('embedded', open);
describeVectors('embedded', open);
describeMessages('embedded', open);
describeRunAcceptance('embedded', open);
describeRunClaims('embedded', open);
describeInteractiveRuns('embedded', open);
describeRunSweep('embedded', open);
describeEffects('embedded', open);
describeEndedRuns('embedded', open);
describeRunBacklog('embedded', open);
describeSealedRequests('embedded', open);
describeDeadLetters('embedded', open);
describePrunedRecords('embedded', open);
