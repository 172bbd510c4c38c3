import type { Manifest } from './render';

/** A limit of how fast the number of pods changes. */
export interface ScalingPolicy {
  readonly type: 'Pods' | 'Percent';
  readonly value: number;
  readonly periodSeconds: number;
}

interface ScalingDirection {
  readonly stabilizationWindowSeconds: number;
  readonly policies: readonly ScalingPolicy[];
}

/** A ScaledObject of the chart, as far as it decides about the number of pods. */
export interface ScalingRule {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly query: string;
  readonly targetRuns: number;
  /** More runs than these start the first pod. */
  readonly activationRuns: number;
  readonly pollingSeconds: number;
  readonly cooldownSeconds: number;
  readonly up: ScalingDirection;
  readonly down: ScalingDirection;
}

interface ScaledObjectSpec {
  readonly minReplicaCount: number;
  readonly maxReplicaCount: number;
  readonly pollingInterval: number;
  readonly cooldownPeriod: number;
  readonly advanced: {
    readonly horizontalPodAutoscalerConfig: {
      readonly behavior: { readonly scaleUp: ScalingDirection; readonly scaleDown: ScalingDirection };
    };
  };
  readonly triggers: readonly {
    readonly type: string;
    readonly metadata: {
      readonly query: string;
      readonly threshold: string;
      readonly activationThreshold: string;
    };
  }[];
}

/** Reads the ScaledObject of a pool that scales on a query of Prometheus; throws when there is none. */
export function scalingRuleOf(manifests: readonly Manifest[], pool: string): ScalingRule {
  const found = manifests.find(
    ({ kind, metadata }) => kind === 'ScaledObject' && metadata.name === `millrace-executor-${pool}`,
  );
  const spec = found?.spec as unknown as ScaledObjectSpec | undefined;
  const [trigger] = spec?.triggers ?? [];
  if (spec === undefined || trigger?.type !== 'prometheus')
    throw new Error(`the pool ${pool} has no ScaledObject with a query of Prometheus`);
  const { scaleUp: up, scaleDown: down } = spec.advanced.horizontalPodAutoscalerConfig.behavior;
  return {
    minReplicas: spec.minReplicaCount,
    maxReplicas: spec.maxReplicaCount,
    query: trigger.metadata.query,
    targetRuns: Number(trigger.metadata.threshold),
    activationRuns: Number(trigger.metadata.activationThreshold),
    pollingSeconds: spec.pollingInterval,
    cooldownSeconds: spec.cooldownPeriod,
    up,
    down,
  };
}
