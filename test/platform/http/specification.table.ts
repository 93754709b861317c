/** The specification, typed in, and the extensions of its operations. */
import type { Access } from "../../../src/platform/http/operation.ts";

export interface Described {
  methods: "GET" | "POST" | "GET POST";
  who: Access;
  /** Lines of "name type R|O", with "repeatable" and with the values that are listed, where there are any. */
  takes?: string;
  /** Lines of "path type", in the order of the reply; [] stands for the items of an array. */
  gives?: string;
}

const RANGE = `
  range    number O 0 5 6 7 8 9 12
  datefrom number O
  dateto   number O`;

const UPTIME = `
  range          number
  datefrom       number
  dateto         number
  uptime         number
  downtime       string
  items[].id       number
  items[].active   number
  items[].name     string
  items[].uptime   number
  items[].downtime string
  items[].events   number`;

const UPTIME_EXTENSIONS = `
  items[].downseconds number
  items[].muted       null
  timezone            string`;

export const SPECIFICATION: Readonly<Record<string, Described>> = {
  "/admin/hosts/list": {
    methods: "GET",
    who: "admin",
    gives: `
      totalRecords           number
      records[].id           number
      records[].hostname     string
      records[].ipaddr       string
      records[].description  string
      records[].agentversion string
      records[].status       string`,
  },
  "/admin/hosts/get": {
    methods: "GET",
    who: "admin",
    takes: "id number R",
    gives: `
      id            number
      hostname      string
      keepname      number
      ipaddrin      string
      ipaddrout     string
      portin        number
      portout       number
      sslin         number
      sslout        number
      agentid       string
      agentuser     string
      agentpassword string
      description   string
      status        number
      skew          number
      poll          number
      lastmodified  number`,
  },
  "/admin/hosts/update": {
    methods: "POST",
    who: "admin",
    takes: `
      id            number R
      hostname      string R
      agentuser     string R
      agentpassword string R
      keepname      number O 0 1
      description   string O
      status        number O 0 1 2
      ipaddrout     string O
      portout       number O -1
      sslout        number O -1 0 1
      skew          number O`,
  },
  // Two forms, one argument each, either of which is required where the other is not given.
  "/admin/hosts/delete": {
    methods: "POST",
    who: "admin",
    takes: `
      id       number O
      inactive number O`,
    gives: "deleted number",
  },
  "/admin/hosts/test": {
    methods: "POST",
    who: "admin",
    takes: `
      ipaddr        string R
      port          number R
      ssl           number R 0 1
      agentuser     string R
      agentpassword string R`,
    gives: `
      status      string
      description string`,
  },
  "/admin/hosts/action": {
    methods: "POST",
    who: "admin",
    takes: `
      id      number R
      action  string R start stop restart monitor unmonitor
      service string R repeatable`,
  },
  "/admin/users/list": {
    methods: "GET",
    who: "admin",
    gives: `
      [].uname    string
      [].fullname string
      [].image    string
      [].title    string
      [].email    string
      [].mobile   string
      [].imname   string
      [].imtype   string`,
  },
  "/admin/users/get": {
    methods: "GET",
    who: "self",
    takes: "uname string R",
    gives: `
      uname    string
      password string
      fullname string
      image    string
      title    string
      email    string
      phone    string
      mobile   string
      imname   string
      imtype   string
      admin    boolean`,
  },
  "/admin/users/create": {
    methods: "POST",
    who: "admin",
    takes: `
      uname    string R
      password string R
      fullname string R
      title    string O
      email    string O
      phone    string O
      mobile   string O
      imname   string O
      imtype   string O
      admin    boolean O true false`,
  },
  "/admin/users/update": {
    methods: "POST",
    who: "self",
    takes: `
      uname       string R
      password    string R
      oldpassword string R
      fullname    string R
      title       string O
      email       string O
      phone       string O
      mobile      string O
      imname      string O
      imtype      string O
      admin       boolean O true false`,
  },
  "/admin/users/delete": { methods: "POST", who: "admin", takes: "uname string R" },
  "/admin/groups/list": {
    methods: "GET",
    who: "manage",
    gives: `
      hosts[].id       number
      hosts[].name     string
      groups[].id      number
      groups[].name    string
      groups[].hosts[] number`,
  },
  "/admin/groups/create": { methods: "POST", who: "admin", takes: "name string R" },
  "/admin/groups/update": {
    methods: "POST",
    who: "admin",
    takes: `
      id   number R
      name string R`,
  },
  "/admin/groups/delete": { methods: "POST", who: "admin", takes: "id number R" },
  "/admin/groups/add": {
    methods: "POST",
    who: "admin",
    takes: `
      id     number R
      hostid number R repeatable`,
  },
  "/admin/groups/remove": {
    methods: "POST",
    who: "admin",
    takes: `
      id     number R
      hostid number R repeatable`,
  },
  "/status/hosts/list": {
    methods: "GET POST",
    who: "session",
    takes: `
      hostid      number O repeatable
      hostgroupid number O
      led         number O 0 1 2 3`,
    gives: `
      records[].id        number
      records[].led       number
      records[].hostname  string
      records[].events    number
      records[].cpu       number
      records[].mem       number
      records[].status    string
      records[].statusid  number
      records[].heartbeat number
      totalRecords        number`,
  },
  "/status/hosts/get": {
    methods: "GET POST",
    who: "session",
    takes: "id number R",
    gives: `
      records.is_user_admin                               boolean
      records.host.id                                     number
      records.host.name                                   string
      records.host.led                                    number
      records.host.status                                 string
      records.host.statusid                               number
      records.host.heartbeat                              number
      records.host.platform.name                          string
      records.host.platform.release                       string
      records.host.platform.version                       string
      records.host.platform.machine                       string
      records.host.cpu.count                              number
      records.host.memory.size                            number
      records.host.swap.size                              number
      records.host.agent.id                               string
      records.host.agent.version                          string
      records.host.agent.controlfile                      string
      records.host.agent.poll                             number
      records.host.agent.startdelay                       number
      records.host.agent.uptime                           string
      records.host.services[].id                          number
      records.host.services[].name                        string
      records.host.services[].nameid                      number
      records.host.services[].type                        string
      records.host.services[].typeid                      number
      records.host.services[].monitorstate                number
      records.host.services[].monitormode                 number
      records.host.services[].onreboot                    number
      records.host.services[].status                      string
      records.host.services[].led                         number
      records.host.services[].events                      number
      records.host.services[].every                       string
      records.host.services[].statistics[].id             number
      records.host.services[].statistics[].type           number
      records.host.services[].statistics[].descriptor     string
      records.host.services[].statistics[].value          number`,
  },
  "/status/hosts/summary": {
    methods: "GET POST",
    who: "session",
    gives: `
      status[].label string
      status[].data  number`,
  },
  "/reports/uptime/list": { methods: "GET POST", who: "session", takes: RANGE, gives: UPTIME },
  "/reports/uptime/get": {
    methods: "GET POST",
    who: "session",
    takes: `id number R${RANGE}`,
    gives: UPTIME,
  },
  "/reports/events/list": {
    methods: "GET POST",
    who: "session",
    takes: `
      active         number O 0 1 2
      hostid         number O repeatable
      hostgroupid    number O
      servicenameid  number O
      servicegroupid number O
      servicetype    number O 0 1 2 3 4 5 6 7
      eventtype      number O 1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304
      state          number O 0 1 2
      datefrom       number O
      dateto         number O
      results        number O
      startindex     number O
      sort           string O date hostname servicename event note
      dir            string O desc asc`,
    gives: `
      recordsReturned         number
      pageSize                number
      totalRecords            number
      startIndex              number
      sort                    string
      dir                     string
      records[].id            number
      records[].date          number
      records[].hostname      string
      records[].hostid        number
      records[].servicename   string
      records[].servicenameid number
      records[].event         string
      records[].eventtype     number
      records[].note          number`,
  },
  "/reports/events/get": {
    methods: "GET POST",
    who: "session",
    takes: "id number R",
    gives: `
      id             number
      hostid         number
      host           string
      date           number
      servicename    string
      servicetype    string
      event          string
      eventstate     number
      action         string
      message        string
      note[].date    number
      note[].uname   string
      note[].message string`,
  },
  "/reports/events/summary": {
    methods: "GET POST",
    who: "session",
    gives: `
      datefrom          number
      dateto            number
      events[].label    string
      events[].data[][] number`,
  },
  "/reports/events/dismiss": { methods: "GET POST", who: "session", takes: "id number R" },
  // Its arguments have names of the caller's choice.
  "/session/put": { methods: "GET POST", who: "login" },
  // What the example asks for.
  "/session/get": {
    methods: "GET POST",
    who: "login",
    takes: "key string O repeatable",
    gives: `
      colour    string
      CSRFToken string`,
  },
  "/session/delete": { methods: "GET POST", who: "login", takes: "key string O repeatable" },
  "/session/invalidate": { methods: "GET POST", who: "login" },
};

/**
 * Arguments and fields of operations that the specification does not have. "?" marks a field that only some items
 * have.
 */
export const EXTENSIONS: Readonly<Record<string, Partial<Pick<Described, "who" | "takes" | "gives">>>> = {
  "/admin/hosts/list": { who: "manage" },
  "/admin/hosts/get": {
    who: "manage",
    gives: `
      sslverify   number
      conflict    string
      tags[]      string
      actionqueue number`,
  },
  "/admin/hosts/update": {
    who: "manage",
    takes: `
      sslverify   number O 0 1
      actionqueue number O 0 1
      tag         string O repeatable`,
  },
  "/admin/hosts/test": { takes: "sslverify number O 0 1" },
  "/admin/hosts/action": {
    who: "operate",
    gives: `
      service[] string
      action    string`,
  },
  "/admin/users/list": {
    gives: `
      [].origin       string
      [].secondfactor boolean`,
  },
  "/admin/users/get": {
    gives: `
      origin       string
      secondfactor boolean`,
  },
  "/admin/users/create": { gives: "uname string" },
  "/admin/groups/list": { gives: "groups[].target null" },
  "/admin/groups/create": { gives: "id number" },
  "/admin/groups/add": { gives: "added number" },
  "/admin/groups/remove": { gives: "removed number" },
  "/status/hosts/list": {
    takes: `
      hostgroupid number O repeatable
      tag         string O repeatable
      led         number O repeatable
      hostpattern string O
      hostname    string O
      results     number O
      startindex  number O
      sort        string O hostname led events cpu mem status
      dir         string O asc desc`,
    gives: `
      recordsReturned        number
      pageSize               number
      startIndex             number
      sort                   string
      dir                    string
      records[].lastmodified number
      records[].services     number
      records[].servicesok   number
      records[].muted        null
      records[].tags[]       string`,
  },
  "/status/hosts/get": {
    gives: `
      records.host.lastmodified                    number
      records.host.conflict                        string
      records.host.unreadable.count                number
      records.host.unreadable.services[].service   string
      records.host.unreadable.services[].count     number
      records.host.unreadable.services[].elements[] string
      records.host.groupsleftout                    number
      records.host.description                      string
      records.host.groups[].id                      number
      records.host.groups[].name                    string
      records.host.services[].statistics[].text? string
      records.host.services[].acknowledged       null
      records.host.services[].muted              null
      records.host.muted                         null
      records.host.tags[]                        string
      records.host.agentkey.id                   number
      records.host.agentkey.name                 string`,
  },
  "/reports/uptime/list": {
    takes: `
      range       number O 100 101 102 103 104 105
      hostgroupid number O repeatable
      tag         string O repeatable
      cells       number O 48
      format      string O json csv`,
    gives: UPTIME_EXTENSIONS,
  },
  "/reports/uptime/get": {
    takes: "range number O 100 101 102 103 104 105\ncells number O 48\nformat string O json csv",
    gives: UPTIME_EXTENSIONS,
  },
  "/reports/events/list": {
    takes: `
      hostgroupid    number O repeatable
      tag            string O repeatable
      servicenameid  number O repeatable
      servicegroupid number O repeatable
      servicetype    number O repeatable 8
      state          number O repeatable
      text           string O
      maxid          number O`,
    gives: `
      maxid               number
      records[].active    number
      records[].dismissed number
      records[].serviceid number
      records[].since     number
      records[].ended     number
      records[].acknowledged null
      records[].muted null
      records[].limitid number
      records[].severity number`,
  },
  "/reports/events/get": {
    gives: `
      active    number
      dismissed number
      serviceid number
      since     number
      ended     number
      acknowledged null
      muted null
      limitid number
      severity number`,
  },
  "/reports/events/dismiss": { who: "respond", takes: "id number R repeatable" },
};
