import type { BenchEnvironment } from './bench-environment.mjs';

/** Figures of one measurement, by name; times are in milliseconds. `problems` describes the errors. */
export interface Figures {
  readonly errors: number;
  readonly requests: number;
  readonly problems?: string;
  readonly [name: string]: number | string | undefined;
}

/** Figures of requests to a server. */
export interface LoadFigures extends Figures {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** How long to measure: a number of seconds, or of requests. */
export interface LoadSize {
  readonly seconds?: number;
  readonly amount?: number;
}

/** What the report says about a side that is a product. */
export interface Product {
  readonly name: string;
  readonly version: string;
  /** What it stores of each request. */
  readonly keeps: string;
}

/** One of the compared variants. */
export interface Side {
  (seconds: number): Promise<Figures>;
  /** Replaces the measurement during warm-up. */
  warmUp?(seconds: number): Promise<Figures>;
  /** Measures throughput only, which is what a profile needs. */
  throughput?(size: LoadSize): Promise<LoadFigures>;
  readonly product?: Product;
}

export interface Goal {
  readonly what: string;
  readonly value: number;
  /** Such as `at most 5`. */
  readonly bound: string;
  readonly holds: boolean;
}

/** The median of each figure, and the sum of errors and requests. */
export type Medians = Readonly<Record<string, number>>;

/** What a scenario concludes from the medians of its sides. */
export interface Conclusion {
  readonly ratio: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly goals: readonly Goal[];
}

interface Description {
  readonly id: string;
  readonly title: string;
  readonly limit: string;
  readonly goal: string;
  /** What the ratio compares with. */
  readonly of: string;
}

export interface Scenario extends Description {
  /** Where more rounds add nothing. */
  readonly rounds?: number;
  /** Where the usual time is too short. */
  readonly warmUpSeconds?: number;
  /** False for a scenario that needs no separate warm-up. */
  readonly isWarmedUp?: boolean;
  /** True where the others are measured when a side fails: its reason is in `notMeasured`. */
  readonly keepsOtherSides?: boolean;
  /** Resolves to the sides by name. */
  open(environment: BenchEnvironment): Promise<Record<string, Side>>;
  conclude(middle: Readonly<Record<string, Medians>>): Conclusion;
}

export interface MeasuredScenario extends Description, Conclusion {
  readonly errors: number;
  readonly sides: Readonly<Record<string, Medians>>;
  readonly rounds: Readonly<Record<string, readonly Figures[]>>;
  /** By side, where sides are products. */
  readonly products?: Readonly<Record<string, Product>>;
  /** By side, why it has no figures. */
  readonly notMeasured?: Readonly<Record<string, string>>;
  readonly failure?: undefined;
}

export interface FailedScenario extends Description {
  readonly errors: number;
  readonly failure: string;
}

export type ScenarioResult = MeasuredScenario | FailedScenario;
