import { describeStores } from './stores.contract';
import { openOnServer } from './testing/open-test-database';

describeStores('PostgreSQL', openOnServer);
