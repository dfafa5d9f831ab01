-- What sqlite3 is given to do in the workload of that name: tables that refer to each other, indexed, joined, changed in transactions.
create table part(id integer primary key, type text, x integer, y integer, length real);
create table connection(source integer references part, target integer references part, kind integer);
begin;
with recursive k(i) as (select 1 union all select i + 1 from k where i < 4000)
	insert into part select i, 'part-' || (i * 7919 % 10), i * 7907 % 10007, i * 7901 % 10009, (i * 613 % 1009) / 7.0 from k;
with recursive k(i) as (select 0 union all select i + 1 from k where i < 11999)
	insert into connection select i / 3 + 1, (i * 7883 + i / 3 * 31) % 4000 + 1, i % 3 from k;
commit;
create index by_source on connection(source);
create index by_target on connection(target);
create index by_type on part(type, x);
select type, count(*), min(x), max(y), round(avg(length), 3) from part group by type order by type;
-- How far one comes from a part in five steps.
with recursive reach(id, depth) as (select 17, 0 union select target, depth + 1 from reach join connection on source = id where depth < 6)
	select depth, count(*), sum(id) from reach group by depth;
select p.type, q.type, count(*), round(sum(q.length), 2) from connection join part p on p.id = source join part q on q.id = target
	where kind = 1 group by 1, 2 order by 3 desc, 1, 2 limit 10;
begin;
update part set x = y, y = x where id in (select source from connection where kind = 2 and target % 5 = 0);
delete from connection where source in (select id from part where x < 1200);
insert into part(type, x, y, length) select type || 'n', x + 1, y - 1, length * 2 from part where id % 9 = 0;
commit;
select count(*), sum(x * 31 + y) % 1000003, round(total(length), 2) from part;
select type, group_concat(id) from (select type, id from part where upper(type) like '%3N' order by length desc limit 12) group by type;
select a.id, b.id from part a join part b on a.x = b.y and a.id < b.id order by a.id, b.id limit 8;
select count(*), sum(length(printf('%08d %s', id, type))) from part order by x;
