import { describeDelivery } from './contract/delivery.contract';
import { BusFixture, type BusUnderTest } from './contract/bus-fixture.contract';
import { describeLifecycle } from './contract/lifecycle.contract';
import { describeLimits } from './contract/limits.contract';
import { describeOutcomes } from './contract/outcomes.contract';
import { describeSharing } from './contract/sharing.contract';

/** Contract of every MessageBus. */
export function describeMessageBus(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`the ${name} message bus`, () => {
    const given = new BusFixture(open);
    beforeEach(() => given.begin());
    afterEach(() => given.end());

    describeLifecycle(given);
    describeDelivery(given);
    describeSharing(given);
    describeOutcomes(given);
    describeLimits(given);
  });
}
