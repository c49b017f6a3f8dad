import { faultsIn } from '../fault.js'

export const slidingLogFaults = [
  ...faultsIn('algorithms/sliding-log.ts', [
    ['firstAfter(now - windowMs)', 'firstAfter(now - windowMs - 1)', 'a hit leaves 1 ms late'],
    ['firstAfter(now - windowMs)', 'firstAfter(now - windowMs + 1)', 'a hit leaves 1 ms early'],
    ['Math.min(log.newest, now)', 'log.newest', 'the reset counts from a time to come'],
    ['return log.newest > now', 'return false', 'the repair flag is lost'],
    ['cost > limit', 'cost >= limit', 'the whole limit at once never passes'],
    ['over <= 0', 'over < 0', 'the last one within the limit is refused'],
    ['row.b + cost - limit', 'row.b - limit', 'the cost is not looked at'],
    [
      'Math.min(logOf(row).timeOf(row.c, over), now)',
      'logOf(row).timeOf(row.c, over)',
      'a wait from a time to come',
    ],
    ['log.keep(row.c, now)\n', '\n', 'hits of a time to come stay there'],
    [
      'move the rest.\n    row.c = log.head',
      'move the rest.',
      'the sum begins where the list no longer does',
    ],
    ['Math.min(cost, MAX_WEIGHT - row.b)', 'cost', 'a debt is counted beyond what is exact'],
    ['log.keep(row.c, row.a)\n', '\n', 'a settle after a step back leaves hits in a time to come'],
    ['b > 0 ? a + windowMs - now : 0', 'a + windowMs - now', 'an empty log has a reset'],
    ['Math.max(0, limit - b)', 'limit - b', 'a debt makes the remainder negative'],
  ]),
  ...faultsIn('algorithms/log-entries.ts', [
    ['this.#times, this.head, time + 1', 'this.#times, this.head, time', 'a window is 1 ms too long'],
    ['this.#sumBefore(index) + weight)', 'weight)', 'a wait counts hits that have left'],
    ['    this.head = index\n', '', 'nothing ever leaves the list'],
    [
      'this.#times[into] = now',
      'this.#times[into] = this.#times[into] as number',
      'late hits keep their time',
    ],
    [
      'late > this.head && this.#times[late - 1] === now ? late - 1 : late',
      'late',
      'hits of one time stand apart',
    ],
    ['if (this.newest === now)', 'if (this.newest > now)', 'hits of one time stand apart'],
    ['+ weight > Number.MAX_SAFE_INTEGER', '+ weight < 0', 'sums grow beyond 2^53'],
    ['Math.min(weight, this.#weightAt(index))', 'weight', 'giving back takes weight of other hits'],
    ['if (this.#times[index] !== time) return', '', 'what has left is given back to the next hit'],
    [
      'this.#times.length > this.head && this.#weightAt',
      'false && this.#weightAt',
      'a weightless hit delays the reset',
    ],
    ['.map((sum) => sum - dropped)', '', 'hits that have left weigh on'],
    ['let low = from', 'let low = 0', 'hits that have left are found again'],
    ['(list[middle] as number) < wanted', '(list[middle] as number) <= wanted', 'a search goes one too far'],
  ]),
]
