import type { Fault } from './fault.js'
import { FAULTS_OF_CLUSTERS } from './faults-of-clusters.js'
import { FAULTS_OF_SERVERS } from './faults-of-servers.js'
import { FAULTS_OF_WIRES } from './faults-of-wires.js'

/** All rows of the matrix. */
export const FAULTS: readonly Fault[] = [...FAULTS_OF_SERVERS, ...FAULTS_OF_WIRES, ...FAULTS_OF_CLUSTERS]
