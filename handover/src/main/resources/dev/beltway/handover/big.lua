-- The steps by which the mover takes a key to its target that is too big for one transfer.
-- ARGV: what to do, control database, term of the leader who asks, and what that step needs.
-- Nothing is done for a leader who was deposed.
local step, control, term = ARGV[1], ARGV[2], ARGV[3]
local TOKEN, SEALED = '__beltway:token', '__beltway:sealed'
redis.call('SELECT', control)
if redis.call('GET', '__beltway:term') ~= term then
  return redis.error_reply('BELTWAYTERM ' .. tostring(redis.call('GET', '__beltway:term')))
end

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Gives a key its time back that was taken from it while it was copied.
local function unseal()
  local record = redis.call('HMGET', SEALED, 'database', 'key', 'deadline')
  if record[1] then
    redis.call('SELECT', record[1])
    if tonumber(record[3]) >= 0 then
      redis.call('PEXPIREAT', record[2], record[3])
    end
    redis.call('SELECT', control)
  end
  redis.call('DEL', SEALED)
end

if step == 'unseal' then
  unseal()
  return 'OK'
elseif step == 'wanted' then
  -- A walk that waits learns here that its token is broken.
  local text = redis.call('HGET', TOKEN, 'text')
  if text ~= ARGV[4] then
    return redis.error_reply('BELTWAYTOKEN ' .. tostring(text))
  end
  return redis.call('SPOP', '__beltway:wanted') or ''
elseif step == 'begin' or step == 'stage' or step == 'finish' then
  -- At the target: which attempt, so that nothing of an earlier one is mixed in, and of which source.
  local STAGING, ATTEMPT = '__beltway:staging:' .. ARGV[5], '__beltway:attempt:' .. ARGV[5]
  if step == 'begin' then
    redis.call('UNLINK', STAGING)
    redis.call('SET', ATTEMPT, ARGV[4])
    return 'OK'
  end
  if redis.call('GET', ATTEMPT) ~= ARGV[4] then
    return redis.error_reply('BELTWAYATTEMPT is another one')
  end
  if step == 'finish' then
    -- ARGV database, key, how long it lives from now on: clocks of two servers may differ.
    if tonumber(ARGV[8]) >= 0 then
      redis.call('PEXPIRE', STAGING, ARGV[8])
    end
    redis.call('SELECT', ARGV[6])
    local busy = redis.call('UNLINK', ARGV[7])
    redis.call('SELECT', control)
    redis.call('DEL', ATTEMPT)
    if redis.call('EXISTS', STAGING) == 1 then
      redis.call('RENAME', STAGING, ARGV[7])
      redis.call('MOVE', ARGV[7], ARGV[6])
    end
    return busy
  end
  -- Commands, each after the number of its words.
  local at = 6
  while at <= #ARGV do
    local words = tonumber(ARGV[at])
    redis.call(unpack(ARGV, at + 1, at + words))
    at = at + words + 1
  end
  return 'OK'
end

-- The others are done at the source, under its token: ARGV token, database, key.
local text = redis.call('HGET', TOKEN, 'text')
if text ~= ARGV[4] then
  return redis.error_reply('BELTWAYTOKEN ' .. tostring(text))
end
local record = redis.call('HMGET', SEALED, 'database', 'key', 'deadline', 'marked')
local mine = record[1] == ARGV[5] and record[2] == ARGV[6]
if step == 'seal' then
  if record[1] and not mine then
    unseal()
  end
  redis.call('SELECT', ARGV[5])
  local kind = redis.call('TYPE', ARGV[6]).ok
  if kind == 'none' then
    redis.call('SELECT', control)
    redis.call('DEL', SEALED)
    return {kind}
  end
  local size = redis.call('MEMORY', 'USAGE', ARGV[6])
  local deadline = record[3]
  if not mine then
    local left = redis.call('PTTL', ARGV[6])
    deadline = left < 0 and '-1' or string.format('%.0f', now() + left)
    if left >= 0 then
      -- A day more, not for ever: the record could be thrown away where memory is full.
      redis.call('PEXPIREAT', ARGV[6], string.format('%.0f', now() + left + 86400000))
    end
    redis.call('SELECT', control)
    redis.call('PERSIST', SEALED) -- Changes nothing; HSET is not refused after it where memory is full.
    redis.call('HSET', SEALED, 'database', ARGV[5], 'key', ARGV[6], 'deadline', deadline)
  end
  return {kind, size, deadline, mine and record[4] or ''}
end
if not mine then
  return redis.error_reply('BELTWAYSEAL is of another key')
end
if step == 'mark' then
  redis.call('PERSIST', SEALED)
  redis.call('HSET', SEALED, 'marked', '1')
  local deadline = tonumber(record[3])
  return deadline < 0 and '-1' or string.format('%.0f', math.max(0, deadline - now()))
end
-- drop: ARGV[7] is the target, ARGV[8] how many bytes.
redis.call('SELECT', ARGV[5])
redis.call('UNLINK', ARGV[6])
redis.call('SELECT', control)
redis.call('DEL', SEALED)
local left = redis.pcall('HINCRBY', '__beltway:moved', ARGV[7], 1)
local weight = redis.pcall('HINCRBY', '__beltway:moved', ARGV[7] .. ':bytes', ARGV[8])
return {type(left) == 'number' and left or 0, type(weight) == 'number' and weight or 0}
