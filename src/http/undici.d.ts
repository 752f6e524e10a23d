/** Declares the files of undici that are loaded one by one, since loading its index takes more than twice the time. */
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici'
  export default Pool
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  import { ProxyAgent } from 'undici'
  export default ProxyAgent
}
declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici'
  export default Dispatcher
}
declare module 'undici/lib/api/api-connect.js' {
  import { Dispatcher } from 'undici'

  const connect: Dispatcher['connect']
  export default connect
}
