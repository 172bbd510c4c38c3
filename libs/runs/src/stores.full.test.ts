import { describeStores } from './stores.contract';
import { openEmbedded } from './testing/open-test-database';

describeStores('embedded', openEmbedded);
