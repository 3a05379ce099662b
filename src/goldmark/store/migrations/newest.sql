CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL,
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE account (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	role VARCHAR(20) NOT NULL,
	password_hash TEXT,
	created_at DATETIME NOT NULL,
	disabled_at DATETIME, registered BOOLEAN DEFAULT 0 NOT NULL,
	CONSTRAINT pk_account PRIMARY KEY (id),
	CONSTRAINT uq_account_name UNIQUE (name)
);

CREATE TABLE protocol (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	version INTEGER NOT NULL,
	digest VARCHAR(64) NOT NULL,
	source TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_protocol PRIMARY KEY (id),
	CONSTRAINT uq_protocol_digest UNIQUE (digest)
);

CREATE TABLE campaign (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	title TEXT NOT NULL,
	state VARCHAR(20) NOT NULL,
	protocol_id INTEGER NOT NULL,
	settings TEXT NOT NULL,
	invite_nonce VARCHAR(40) NOT NULL,
	created_at DATETIME NOT NULL, crowd VARCHAR(200) DEFAULT '' NOT NULL,
	CONSTRAINT pk_campaign PRIMARY KEY (id),
	CONSTRAINT fk_campaign_protocol_id FOREIGN KEY(protocol_id) REFERENCES protocol (id),
	CONSTRAINT uq_campaign_name UNIQUE (name)
);

CREATE TABLE credential (
	id INTEGER NOT NULL,
	account_id INTEGER,
	kind VARCHAR(20) NOT NULL,
	name VARCHAR(200) NOT NULL,
	hash VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	expires_at DATETIME,
	used_at DATETIME,
	revoked_at DATETIME, scope VARCHAR(20) DEFAULT 'all' NOT NULL, role VARCHAR(20),
	CONSTRAINT pk_credential PRIMARY KEY (id),
	CONSTRAINT fk_credential_account_id FOREIGN KEY(account_id) REFERENCES account (id),
	CONSTRAINT uq_credential_hash UNIQUE (hash)
);

CREATE INDEX ix_credential_account_id ON credential (account_id);

CREATE TABLE annotator (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	state VARCHAR(20) NOT NULL,
	account_id INTEGER,
	link_nonce VARCHAR(40) NOT NULL,
	joined_at DATETIME NOT NULL,
	consented_at DATETIME,
	cursor INTEGER NOT NULL,
	done INTEGER NOT NULL,
	batch INTEGER NOT NULL,
	batch_done INTEGER NOT NULL,
	seconds_active FLOAT NOT NULL, stage VARCHAR(20) DEFAULT 'work' NOT NULL, condition VARCHAR(200), participant_id INTEGER CONSTRAINT fk_annotator_participant_id REFERENCES participant (id), kind VARCHAR(20) DEFAULT 'person' NOT NULL, withdrew BOOLEAN DEFAULT 0 NOT NULL, seen_at DATETIME, same_browser INTEGER,
	CONSTRAINT pk_annotator PRIMARY KEY (id),
	CONSTRAINT fk_annotator_account_id FOREIGN KEY(account_id) REFERENCES account (id),
	CONSTRAINT fk_annotator_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT uq_annotator_campaign_id_name UNIQUE (campaign_id, name)
);

CREATE INDEX ix_annotator_account_id ON annotator (account_id);

CREATE TABLE event (
	id INTEGER NOT NULL,
	campaign_id INTEGER,
	at DATETIME NOT NULL,
	author TEXT NOT NULL,
	kind VARCHAR(60) NOT NULL,
	subject TEXT NOT NULL,
	reason TEXT NOT NULL,
	facts TEXT NOT NULL,
	CONSTRAINT pk_event PRIMARY KEY (id),
	CONSTRAINT fk_event_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_event_campaign_id ON event (campaign_id);

CREATE TABLE unit (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	position INTEGER NOT NULL,
	wanted INTEGER NOT NULL,
	taken INTEGER NOT NULL,
	done INTEGER NOT NULL,
	shown TEXT NOT NULL,
	added_at DATETIME NOT NULL, stratum VARCHAR(100) DEFAULT 'work' NOT NULL, counts BOOLEAN DEFAULT 1 NOT NULL, item TEXT,
	CONSTRAINT pk_unit PRIMARY KEY (id),
	CONSTRAINT ck_unit_done_are_taken CHECK (done >= 0 AND done <= taken),
	CONSTRAINT ck_unit_never_more_than_wanted CHECK (taken >= 0 AND taken <= wanted),
	CONSTRAINT fk_unit_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT uq_unit_campaign_id_name UNIQUE (campaign_id, name),
	CONSTRAINT uq_unit_campaign_id_position UNIQUE (campaign_id, position)
);

CREATE TABLE assignment (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	unit_id INTEGER NOT NULL,
	annotator_id INTEGER NOT NULL,
	protocol_id INTEGER NOT NULL,
	state VARCHAR(10) NOT NULL,
	batch INTEGER NOT NULL,
	claimed_at DATETIME NOT NULL,
	lease_until DATETIME NOT NULL,
	finished_at DATETIME,
	revision INTEGER NOT NULL,
	draft TEXT,
	draft_version INTEGER NOT NULL,
	draft_at DATETIME,
	draft_seconds FLOAT NOT NULL, state_before VARCHAR(10), shown_first VARCHAR(32), item TEXT, reviewed INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT pk_assignment PRIMARY KEY (id),
	CONSTRAINT fk_assignment_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id),
	CONSTRAINT fk_assignment_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT fk_assignment_protocol_id FOREIGN KEY(protocol_id) REFERENCES protocol (id),
	CONSTRAINT fk_assignment_unit_id FOREIGN KEY(unit_id) REFERENCES unit (id),
	CONSTRAINT uq_assignment_unit_id_annotator_id UNIQUE (unit_id, annotator_id)
);

CREATE INDEX ix_assignment_annotator_id ON assignment (annotator_id);

CREATE INDEX ix_assignment_lease ON assignment (campaign_id, lease_until) WHERE state = 'active';

CREATE INDEX ix_assignment_answered ON assignment (campaign_id, id) WHERE revision > 0;

CREATE TABLE unit_secret (
	unit_id INTEGER NOT NULL,
	facts TEXT NOT NULL,
	tokenisers TEXT NOT NULL,
	CONSTRAINT pk_unit_secret PRIMARY KEY (unit_id),
	CONSTRAINT fk_unit_secret_unit_id FOREIGN KEY(unit_id) REFERENCES unit (id)
);

CREATE TABLE response (
	id INTEGER NOT NULL,
	assignment_id INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	client_key VARCHAR(64) NOT NULL,
	answers TEXT NOT NULL,
	protocol_id INTEGER NOT NULL,
	client_time DATETIME,
	server_time DATETIME NOT NULL,
	seconds_active FLOAT NOT NULL, reply TEXT DEFAULT '' NOT NULL, language VARCHAR(35) DEFAULT '' NOT NULL,
	CONSTRAINT pk_response PRIMARY KEY (id),
	CONSTRAINT fk_response_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id),
	CONSTRAINT fk_response_protocol_id FOREIGN KEY(protocol_id) REFERENCES protocol (id),
	CONSTRAINT uq_response_assignment_id_client_key UNIQUE (assignment_id, client_key),
	CONSTRAINT uq_response_assignment_id_revision UNIQUE (assignment_id, revision)
);

CREATE TABLE review (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	assignment_id INTEGER NOT NULL,
	revision INTEGER NOT NULL,
	verdict VARCHAR(20) NOT NULL,
	comment TEXT NOT NULL,
	remarks TEXT NOT NULL,
	reviewer TEXT NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_review PRIMARY KEY (id),
	CONSTRAINT fk_review_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT fk_review_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);

CREATE INDEX ix_review_campaign_id ON review (campaign_id);

CREATE INDEX ix_review_assignment_id ON review (assignment_id);

CREATE TABLE curation_step (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	unit_id INTEGER NOT NULL,
	question VARCHAR(64) NOT NULL,
	number INTEGER NOT NULL,
	kind VARCHAR(40) NOT NULL,
	facts TEXT NOT NULL,
	reason TEXT NOT NULL,
	author TEXT NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_curation_step PRIMARY KEY (id),
	CONSTRAINT fk_curation_step_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT fk_curation_step_unit_id FOREIGN KEY(unit_id) REFERENCES unit (id),
	CONSTRAINT uq_curation_step_unit_id_question_number UNIQUE (unit_id, question, number)
);

CREATE INDEX ix_curation_step_campaign_id ON curation_step (campaign_id);

CREATE TABLE gold_version (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	unit_id INTEGER NOT NULL,
	question VARCHAR(64) NOT NULL,
	version INTEGER NOT NULL,
	steps INTEGER NOT NULL,
	mistakes TEXT NOT NULL,
	author TEXT NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_gold_version PRIMARY KEY (id),
	CONSTRAINT fk_gold_version_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT fk_gold_version_unit_id FOREIGN KEY(unit_id) REFERENCES unit (id),
	CONSTRAINT uq_gold_version_unit_id_question_version UNIQUE (unit_id, question, version)
);

CREATE INDEX ix_gold_version_campaign_id ON gold_version (campaign_id);

CREATE TABLE participant (
	id INTEGER NOT NULL,
	platform VARCHAR(40) NOT NULL,
	platform_id TEXT,
	fingerprint VARCHAR(64),
	created_at DATETIME NOT NULL,
	erased_at DATETIME,
	CONSTRAINT pk_participant PRIMARY KEY (id),
	CONSTRAINT uq_participant_fingerprint UNIQUE (fingerprint)
);

CREATE TABLE qualification (
	id INTEGER NOT NULL,
	participant_id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	campaign_id INTEGER NOT NULL,
	score FLOAT,
	earned_at DATETIME NOT NULL,
	revoked_at DATETIME,
	CONSTRAINT pk_qualification PRIMARY KEY (id),
	CONSTRAINT fk_qualification_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT fk_qualification_participant_id FOREIGN KEY(participant_id) REFERENCES participant (id)
);

CREATE INDEX ix_qualification_participant_id ON qualification (participant_id);

CREATE TABLE attempt (
	id INTEGER NOT NULL,
	annotator_id INTEGER NOT NULL,
	kind VARCHAR(20) NOT NULL,
	number INTEGER NOT NULL,
	state VARCHAR(20) NOT NULL,
	protocol_id INTEGER NOT NULL,
	facts TEXT NOT NULL,
	started_at DATETIME NOT NULL,
	finished_at DATETIME,
	decided_by TEXT,
	CONSTRAINT pk_attempt PRIMARY KEY (id),
	CONSTRAINT fk_attempt_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id),
	CONSTRAINT fk_attempt_protocol_id FOREIGN KEY(protocol_id) REFERENCES protocol (id),
	CONSTRAINT uq_attempt_annotator_id_kind_number UNIQUE (annotator_id, kind, number)
);

CREATE TABLE notice (
	id INTEGER NOT NULL,
	annotator_id INTEGER NOT NULL,
	kind VARCHAR(20) NOT NULL,
	message TEXT NOT NULL,
	at DATETIME NOT NULL,
	read_at DATETIME,
	CONSTRAINT pk_notice PRIMARY KEY (id),
	CONSTRAINT fk_notice_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id)
);

CREATE INDEX ix_notice_annotator_id ON notice (annotator_id);

CREATE TABLE attempt_answer (
	id INTEGER NOT NULL,
	attempt_id INTEGER NOT NULL,
	item VARCHAR(200) NOT NULL,
	answers TEXT NOT NULL,
	grade TEXT NOT NULL,
	client_key VARCHAR(64) NOT NULL,
	seconds_active FLOAT NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_attempt_answer PRIMARY KEY (id),
	CONSTRAINT fk_attempt_answer_attempt_id FOREIGN KEY(attempt_id) REFERENCES attempt (id),
	CONSTRAINT uq_attempt_answer_attempt_id_client_key UNIQUE (attempt_id, client_key)
);

CREATE INDEX ix_attempt_answer_attempt_id ON attempt_answer (attempt_id);

CREATE TABLE test_answer (
	assignment_id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	annotator_id INTEGER NOT NULL,
	sign VARCHAR(10) NOT NULL,
	"right" BOOLEAN NOT NULL,
	grade TEXT NOT NULL,
	at DATETIME NOT NULL, revision INTEGER DEFAULT '1' NOT NULL,
	CONSTRAINT pk_test_answer PRIMARY KEY (assignment_id),
	CONSTRAINT fk_test_answer_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id),
	CONSTRAINT fk_test_answer_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id),
	CONSTRAINT fk_test_answer_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_test_answer_annotator_id ON test_answer (annotator_id);

CREATE INDEX ix_test_answer_campaign_id ON test_answer (campaign_id);

CREATE INDEX ix_annotator_participant_id ON annotator (participant_id);

CREATE INDEX ix_unit_free ON unit (campaign_id, stratum, taken, position) WHERE taken < wanted;

CREATE TABLE job (
	id INTEGER NOT NULL,
	kind VARCHAR(60) NOT NULL,
	arguments TEXT NOT NULL,
	"key" VARCHAR(200),
	subject VARCHAR(200) NOT NULL,
	campaign_id INTEGER,
	state VARCHAR(10) NOT NULL,
	attempt INTEGER NOT NULL,
	most_attempts INTEGER NOT NULL,
	due_at DATETIME NOT NULL,
	holder VARCHAR(100),
	heartbeat_at DATETIME,
	done INTEGER NOT NULL,
	total INTEGER,
	message TEXT NOT NULL,
	result TEXT,
	error TEXT,
	author TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	started_at DATETIME,
	finished_at DATETIME,
	CONSTRAINT pk_job PRIMARY KEY (id),
	CONSTRAINT fk_job_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT uq_job_key UNIQUE ("key")
);

CREATE INDEX ix_job_campaign_id ON job (campaign_id);

CREATE INDEX ix_job_subject ON job (subject);

CREATE INDEX ix_job_open ON job (state, due_at) WHERE state IN ('waiting', 'running');

CREATE TABLE board (
	id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	title TEXT NOT NULL,
	public BOOLEAN NOT NULL,
	protocol_id INTEGER NOT NULL,
	settings TEXT NOT NULL,
	data TEXT NOT NULL,
	source TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	closed_at DATETIME,
	CONSTRAINT pk_board PRIMARY KEY (id),
	CONSTRAINT fk_board_protocol_id FOREIGN KEY(protocol_id) REFERENCES protocol (id),
	CONSTRAINT uq_board_name UNIQUE (name)
);

CREATE TABLE board_event (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	at DATETIME NOT NULL,
	author TEXT NOT NULL,
	kind VARCHAR(60) NOT NULL,
	subject TEXT NOT NULL,
	reason TEXT NOT NULL,
	facts TEXT NOT NULL,
	CONSTRAINT pk_board_event PRIMARY KEY (id),
	CONSTRAINT fk_board_event_board_id FOREIGN KEY(board_id) REFERENCES board (id)
);

CREATE INDEX ix_board_event_board_id ON board_event (board_id);

CREATE TABLE board_item (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	position INTEGER NOT NULL,
	chosen BOOLEAN NOT NULL,
	content TEXT NOT NULL, phase VARCHAR(20) DEFAULT 'test' NOT NULL,
	CONSTRAINT pk_board_item PRIMARY KEY (id),
	CONSTRAINT fk_board_item_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT uq_board_item_board_id_name UNIQUE (board_id, name),
	CONSTRAINT uq_board_item_board_id_position UNIQUE (board_id, position)
);

CREATE TABLE board_round (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	campaign_id INTEGER,
	state VARCHAR(20) NOT NULL,
	opens_at DATETIME NOT NULL,
	opened_at DATETIME,
	scored_at DATETIME,
	facts TEXT NOT NULL,
	CONSTRAINT pk_board_round PRIMARY KEY (id),
	CONSTRAINT fk_board_round_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT fk_board_round_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id),
	CONSTRAINT uq_board_round_board_id_number UNIQUE (board_id, number)
);

CREATE INDEX ix_board_round_campaign_id ON board_round (campaign_id);

CREATE INDEX ix_board_round_state_opens_at ON board_round (state, opens_at);

CREATE TABLE board_team (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	name VARCHAR(200) NOT NULL,
	"key" VARCHAR(200) NOT NULL, invitation VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT pk_board_team PRIMARY KEY (id),
	CONSTRAINT fk_board_team_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT uq_board_team_board_id_key UNIQUE (board_id, "key")
);

CREATE TABLE board_member (
	board_id INTEGER NOT NULL,
	account_id INTEGER NOT NULL,
	team_id INTEGER NOT NULL,
	CONSTRAINT pk_board_member PRIMARY KEY (board_id, account_id),
	CONSTRAINT fk_board_member_account_id FOREIGN KEY(account_id) REFERENCES account (id),
	CONSTRAINT fk_board_member_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT fk_board_member_team_id FOREIGN KEY(team_id) REFERENCES board_team (id)
);

CREATE INDEX ix_board_member_team_id ON board_member (team_id);

CREATE TABLE board_system (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	team_id INTEGER,
	name VARCHAR(200) NOT NULL,
	"key" VARCHAR(200) NOT NULL,
	kind VARCHAR(10) NOT NULL,
	created_at DATETIME NOT NULL,
	CONSTRAINT pk_board_system PRIMARY KEY (id),
	CONSTRAINT fk_board_system_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT fk_board_system_team_id FOREIGN KEY(team_id) REFERENCES board_team (id),
	CONSTRAINT uq_board_system_board_id_key UNIQUE (board_id, "key")
);

CREATE INDEX ix_board_system_team_id ON board_system (team_id);

CREATE TABLE board_submission (
	id INTEGER NOT NULL,
	board_id INTEGER NOT NULL,
	system_id INTEGER NOT NULL,
	version INTEGER NOT NULL,
	state VARCHAR(20) NOT NULL,
	approval VARCHAR(20) NOT NULL,
	description TEXT NOT NULL,
	link TEXT NOT NULL,
	authors TEXT NOT NULL,
	outputs INTEGER NOT NULL,
	digest VARCHAR(64) NOT NULL,
	submitted_by TEXT NOT NULL,
	submitted_at DATETIME NOT NULL,
	published_at DATETIME,
	withdrawn_at DATETIME, phase VARCHAR(20) DEFAULT 'test' NOT NULL, same_outputs TEXT,
	CONSTRAINT pk_board_submission PRIMARY KEY (id),
	CONSTRAINT fk_board_submission_board_id FOREIGN KEY(board_id) REFERENCES board (id),
	CONSTRAINT fk_board_submission_system_id FOREIGN KEY(system_id) REFERENCES board_system (id),
	CONSTRAINT uq_board_submission_system_id_version UNIQUE (system_id, version)
);

CREATE INDEX ix_board_submission_board_id ON board_submission (board_id);

CREATE TABLE board_entry (
	round_id INTEGER NOT NULL,
	submission_id INTEGER NOT NULL,
	why VARCHAR(10) NOT NULL,
	CONSTRAINT pk_board_entry PRIMARY KEY (round_id, submission_id),
	CONSTRAINT fk_board_entry_round_id FOREIGN KEY(round_id) REFERENCES board_round (id),
	CONSTRAINT fk_board_entry_submission_id FOREIGN KEY(submission_id) REFERENCES board_submission (id)
);

CREATE INDEX ix_board_entry_submission_id ON board_entry (submission_id);

CREATE TABLE board_metric (
	submission_id INTEGER NOT NULL,
	metric VARCHAR(200) NOT NULL,
	state VARCHAR(20) NOT NULL,
	value FLOAT,
	low FLOAT,
	high FLOAT,
	higher_is_better BOOLEAN NOT NULL,
	signature TEXT NOT NULL,
	message TEXT NOT NULL,
	at DATETIME,
	segments TEXT,
	CONSTRAINT pk_board_metric PRIMARY KEY (submission_id, metric),
	CONSTRAINT fk_board_metric_submission_id FOREIGN KEY(submission_id) REFERENCES board_submission (id)
);

CREATE TABLE board_output (
	submission_id INTEGER NOT NULL,
	item_id INTEGER NOT NULL,
	output TEXT NOT NULL,
	CONSTRAINT pk_board_output PRIMARY KEY (submission_id, item_id),
	CONSTRAINT fk_board_output_item_id FOREIGN KEY(item_id) REFERENCES board_item (id),
	CONSTRAINT fk_board_output_submission_id FOREIGN KEY(submission_id) REFERENCES board_submission (id)
);

CREATE TABLE board_relation (
	submission_id INTEGER NOT NULL,
	axis VARCHAR(64) NOT NULL,
	metric VARCHAR(200) NOT NULL,
	n INTEGER NOT NULL,
	sums TEXT NOT NULL,
	kendall FLOAT,
	spearman FLOAT,
	CONSTRAINT pk_board_relation PRIMARY KEY (submission_id, axis, metric),
	CONSTRAINT fk_board_relation_submission_id FOREIGN KEY(submission_id) REFERENCES board_submission (id)
);

CREATE TABLE board_score (
	round_id INTEGER NOT NULL,
	submission_id INTEGER NOT NULL,
	axis VARCHAR(64) NOT NULL,
	value FLOAT,
	low FLOAT,
	high FLOAT,
	error FLOAT,
	labels INTEGER NOT NULL,
	items INTEGER NOT NULL,
	annotators INTEGER NOT NULL,
	excluded INTEGER NOT NULL,
	cost FLOAT,
	reason TEXT NOT NULL,
	signature TEXT NOT NULL,
	segments TEXT NOT NULL, shared TEXT,
	CONSTRAINT pk_board_score PRIMARY KEY (round_id, submission_id, axis),
	CONSTRAINT fk_board_score_round_id FOREIGN KEY(round_id) REFERENCES board_round (id),
	CONSTRAINT fk_board_score_submission_id FOREIGN KEY(submission_id) REFERENCES board_submission (id)
);

CREATE INDEX ix_board_score_submission_id ON board_score (submission_id);

CREATE TABLE study_plan (
	id INTEGER NOT NULL,
	study VARCHAR(200) NOT NULL,
	campaign_id INTEGER,
	digest VARCHAR(64) NOT NULL,
	source TEXT NOT NULL,
	author TEXT NOT NULL,
	at DATETIME NOT NULL,
	CONSTRAINT pk_study_plan PRIMARY KEY (id),
	CONSTRAINT fk_study_plan_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_study_plan_study ON study_plan (study);

CREATE INDEX ix_study_plan_campaign_id ON study_plan (campaign_id);

CREATE UNIQUE INDEX ix_assignment_item ON assignment (annotator_id, item);

CREATE INDEX ix_annotator_condition ON annotator (campaign_id, condition);

CREATE INDEX ix_campaign_crowd ON campaign (crowd);

CREATE TABLE posting (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	platform VARCHAR(30) NOT NULL,
	live BOOLEAN NOT NULL,
	state VARCHAR(20) NOT NULL,
	offer TEXT NOT NULL,
	budget INTEGER NOT NULL,
	nonce VARCHAR(40) NOT NULL,
	publish_at DATETIME NOT NULL,
	created_by TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	synced_at DATETIME,
	trouble TEXT NOT NULL,
	holder VARCHAR(100),
	held_until DATETIME,
	CONSTRAINT pk_posting PRIMARY KEY (id),
	CONSTRAINT fk_posting_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);

CREATE INDEX ix_posting_campaign_id ON posting (campaign_id);

CREATE TABLE posting_session (
	id INTEGER NOT NULL,
	posting_id INTEGER NOT NULL,
	reference VARCHAR(100) NOT NULL,
	part VARCHAR(100) NOT NULL,
	annotator_id INTEGER,
	state VARCHAR(20) NOT NULL,
	proven BOOLEAN NOT NULL,
	outcome VARCHAR(20) NOT NULL,
	note TEXT NOT NULL,
	arrived_at DATETIME NOT NULL,
	submitted_at DATETIME,
	ended_at DATETIME,
	CONSTRAINT pk_posting_session PRIMARY KEY (id),
	CONSTRAINT fk_posting_session_posting_id FOREIGN KEY(posting_id) REFERENCES posting (id),
	CONSTRAINT fk_posting_session_annotator_id FOREIGN KEY(annotator_id) REFERENCES annotator (id),
	CONSTRAINT uq_posting_session_posting_id_reference UNIQUE (posting_id, reference)
);

CREATE INDEX ix_posting_session_annotator_id ON posting_session (annotator_id);

CREATE TABLE posting_order (
	id INTEGER NOT NULL,
	posting_id INTEGER NOT NULL,
	token VARCHAR(64) NOT NULL,
	verb VARCHAR(20) NOT NULL,
	state VARCHAR(10) NOT NULL,
	session_id INTEGER,
	part VARCHAR(100) NOT NULL,
	places INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	fee INTEGER NOT NULL,
	facts TEXT NOT NULL,
	author TEXT NOT NULL,
	asked_at DATETIME NOT NULL,
	sent_at DATETIME,
	ended_at DATETIME,
	attempts INTEGER NOT NULL,
	reference VARCHAR(200) NOT NULL,
	problem TEXT NOT NULL,
	CONSTRAINT pk_posting_order PRIMARY KEY (id),
	CONSTRAINT fk_posting_order_posting_id FOREIGN KEY(posting_id) REFERENCES posting (id),
	CONSTRAINT fk_posting_order_session_id FOREIGN KEY(session_id) REFERENCES posting_session (id),
	CONSTRAINT uq_posting_order_token UNIQUE (token)
);

CREATE INDEX ix_posting_order_posting_id_state ON posting_order (posting_id, state);

CREATE INDEX ix_posting_order_session_id ON posting_order (session_id);

CREATE TABLE ledger (
	id INTEGER NOT NULL,
	posting_id INTEGER NOT NULL,
	order_id INTEGER,
	session_id INTEGER,
	at DATETIME NOT NULL,
	author TEXT NOT NULL,
	kind VARCHAR(20) NOT NULL,
	places INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	reference VARCHAR(200) NOT NULL,
	reason TEXT NOT NULL,
	CONSTRAINT pk_ledger PRIMARY KEY (id),
	CONSTRAINT fk_ledger_posting_id FOREIGN KEY(posting_id) REFERENCES posting (id),
	CONSTRAINT fk_ledger_order_id FOREIGN KEY(order_id) REFERENCES posting_order (id),
	CONSTRAINT fk_ledger_session_id FOREIGN KEY(session_id) REFERENCES posting_session (id)
);

CREATE INDEX ix_ledger_posting_id ON ledger (posting_id);

CREATE INDEX ix_ledger_session_id ON ledger (session_id);

CREATE UNIQUE INDEX uq_ledger_reward ON ledger (session_id) WHERE kind = 'reward';

CREATE TABLE rate_limit (
	"key" VARCHAR(64) NOT NULL,
	tries INTEGER NOT NULL,
	until DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	CONSTRAINT pk_rate_limit PRIMARY KEY ("key")
);

CREATE INDEX ix_rate_limit_expires_at ON rate_limit (expires_at);

CREATE TABLE second_factor (
	account_id INTEGER NOT NULL,
	nonce VARCHAR(32) NOT NULL,
	made_with VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	confirmed_at DATETIME,
	last_step BIGINT NOT NULL,
	CONSTRAINT pk_second_factor PRIMARY KEY (account_id),
	CONSTRAINT fk_second_factor_account_id FOREIGN KEY(account_id) REFERENCES account (id)
);

CREATE TABLE server_setting (
	name VARCHAR(100) NOT NULL,
	value TEXT NOT NULL,
	CONSTRAINT pk_server_setting PRIMARY KEY (name)
);

CREATE INDEX ix_annotator_same_browser ON annotator (same_browser);

CREATE INDEX ix_assignment_open ON assignment (annotator_id) WHERE state IN ('returned', 'active', 'lapsed');

CREATE INDEX ix_unit_test ON unit (campaign_id) WHERE NOT counts;

CREATE INDEX ix_assignment_unreviewed ON assignment (campaign_id, id) WHERE revision > reviewed
